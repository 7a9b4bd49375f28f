package selftest

import (
	"strings"
	"testing"
)

// TestKeepWithoutATerminal says that an own server keeps nothing there, and does not wait for a
// Ctrl-C that nobody can press.
func TestKeepWithoutATerminal(t *testing.T) {
	t.Parallel()
	o := call(t, "run", "--keep", killed).expectStatus(t, 0)
	if !strings.Contains(o.stderr, "--keep keeps nothing here") || strings.Contains(o.stderr, "psql") {
		t.Errorf("it does not say that nothing is kept:\n%s", o)
	}
}

// TestAgainRepeats takes the command that a failure names, and gets that failure again: the row of
// its matrix, the build and the order with it.
func TestAgainRepeats(t *testing.T) {
	t.Parallel()
	o := call(t, "run", selectable, "--run", "words=ho", "--shuffle", "--seed", "7")
	_, again, found := strings.Cut(o.expectStatus(t, 1).stdout, "again: ./run.sh ")
	again, _, _ = strings.Cut(again, "\n")
	const want = `run --shuffle --seed 7 --run '^m\[words=ho,status=0\]$' testdata/selection/m.yaml`
	if !found || again != want {
		t.Fatalf("got %q, want %q", again, want)
	}
	repeated := call(t, strings.Fields(strings.ReplaceAll(again, "'", ""))...).expectStatus(t, 1)
	if got := strings.Join(repeated.cases(), " "); got != "m[words=ho,status=0]" {
		t.Errorf("it repeats %q:\n%s", got, repeated)
	}
}
