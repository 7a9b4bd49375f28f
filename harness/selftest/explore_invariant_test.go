package selftest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExploreInvariants judges by what must always hold, also where a recovery makes good for it,
// and by what must hold in the end; and without any fault. One that holds is no finding.
func TestExploreInvariants(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	half := call(t, "explore", explorable+"/invariant/half.yaml", "--out", out).expectStatus(t, 1)
	odd := call(t, "explore", explorable+"/invariant/odd.yaml", "--out", out, "--at",
		"kill at move.1 halve#1 response").expectStatus(t, 1)
	golden(t, "explore-invariants", normal(half.String()+odd.String(),
		map[string]string{out: "OUT"}))
	for file, witness := range map[string]string{
		"half-kill-move.1-halve-1-response.yaml": "FAIL no half letter (expected=[], actual=[{id: l1}])",
		"odd-no-fault.yaml":                      "FAIL no odd letter (expected=[], actual=[{id: odd}])",
	} {
		expectShown(t, filepath.Join(out, "invariant", file), witness)
	}
}

// TestExploreHang makes a violation of a worker that does not come to its end after a fault, with
// where it stands. The scenario that is written fails by it, too.
func TestExploreHang(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	o := call(t, "explore", explorable+"/invariant/hang.yaml", "--out", out).expectStatus(t, 1)
	for _, want := range []string{
		"FOUND hang: once comes to its end | kill | try\n        liveness: once comes to its end " +
			"(expected=any end, actual=still running); last asked for: once.2 turn request complete#2 " +
			"(update letter)\n",
		"violations=2, inconclusive=0\n",
	} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("nothing says %q:\n%s", want, o.stdout)
		}
	}
	expectShown(t, filepath.Join(out, "invariant", "hang-kill-once.1-try-1-response.yaml"),
		"FAIL once comes to its end (expected=any end, actual=still running)")
}
