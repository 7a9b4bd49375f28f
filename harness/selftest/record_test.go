package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/clock"
)

// TestRecord names a system by its name, its folder and one of its scenarios, and gets the events
// of it each time; a name that is nobody's is refused, with those that there are.
func TestRecord(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	folder := filepath.Join(root, "scenarios", "letters")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "system.yaml"), `system: post
programs:
  work: {command: [sh, -c, "exit 0"]}
`)
	write(t, filepath.Join(folder, "a.yaml"), `scenario: a
title: it ends well
system: post
steps:
  - run: {program: work}
expect:
  - check: {worker: work, ended: {exit: 0}}
`)
	record := func(what string, status int) outcome {
		t.Helper()
		ctx, cancel := clock.WithDeadline(t.Context(), patience)
		defer cancel()
		cmd := command(ctx, "record", what)
		cmd.Dir = root
		return finish(t, cmd, cmd.Run).expectStatus(t, status)
	}
	for _, what := range []string{"post", "scenarios/letters", "scenarios/letters/a.yaml"} {
		if o := record(what, 0); !strings.Contains(o.stdout, "exit") {
			t.Errorf("no event of the worker:\n%s", o)
		}
	}
	if o := record("psot", 2); !strings.Contains(o.stderr, `did you mean "post"?`) {
		t.Errorf("the name that was meant is not told:\n%s", o)
	}
}
