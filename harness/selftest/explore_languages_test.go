package selftest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExploreLanguages explores one workload with a worker in Go, in Node.js and in Python: nothing
// is found, and every run of one language comes to what it comes to in the others. A language that
// the machine lacks is refused with what is missing, and never passes.
func TestExploreLanguages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts interpreters, some hundred times")
	}
	file := filepath.Join("..", "..", "examples", "workers", "lost-reply.yaml")
	o := call(t, append([]string{"explore", file, "--out", t.TempDir()},
		unlessLong("--at", "(kill|lost-reply|sever) at")...)...)
	var outcomes []string
	for _, part := range strings.Split(o.stdout, "EXPLORE ")[1:] {
		language, _, _ := strings.Cut(part, " :: ")
		found := outcomeLine.FindStringSubmatch(part)
		switch {
		case found != nil:
			outcomes = append(outcomes, found[1])
			if !strings.Contains(part, "violations=0, inconclusive=0\n") {
				t.Errorf("%s: want nothing found:\n%s", language, part)
			}
		case !strings.Contains(part, "\n  skipped: "):
			t.Errorf("%s was not explored, and nothing says why:\n%s", language, part)
		default:
			t.Logf("not on this machine:\n%s", part)
		}
	}
	if len(outcomes) == 0 {
		t.Fatalf("nothing was explored:\n%s%s", o.stdout, o.stderr)
	}
	for _, outcome := range outcomes {
		if outcome != outcomes[0] {
			t.Errorf("the languages came to %v, want one outcome", outcomes)
		}
	}
}
