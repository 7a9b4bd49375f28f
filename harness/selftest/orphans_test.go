package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEvidenceOfNoScenario finds what is committed and no scenario gives any more, when every
// scenario of the system is known; nothing that the run just left out is taken for it.
func TestEvidenceOfNoScenario(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "system.yaml"), `system: ends
programs:
  work: {command: [sh, -c, "exit 0"]}
`)
	for _, name := range []string{"a", "b"} {
		write(t, filepath.Join(folder, name+".yaml"), "scenario: "+name+`
title: it ends well
system: ends
tags: [`+map[string]string{"a": "quick", "b": "slow"}[name]+`]
steps:
  - run: {program: work}
expect:
  - check: {worker: work, ended: {exit: 0}}
`)
	}
	evidence := func(status int, arguments ...string) string {
		t.Helper()
		return call(t, append([]string{"evidence"}, arguments...)...).expectStatus(t, status).stdout
	}
	evidence(0, "--write", folder)
	evidence(0, "--write", "--tag", "slow", folder)
	if text := evidence(0, folder); !strings.HasSuffix(text, "EVIDENCE equal=1\n") {
		t.Errorf("with nothing stale it says\n%s", text)
	}
	stale := []string{"c.txt", "a.pre-fix.txt"}
	for _, name := range stale {
		write(t, filepath.Join(folder, "evidence", name), "CASE c :: it is gone\n")
	}
	for _, arguments := range [][]string{{folder}, {"--run", "^a$", folder}, {"--write", folder}} {
		text := evidence(1, arguments...)
		for _, name := range stale {
			if !strings.Contains(text, "STALE "+filepath.Join(folder, "evidence", name)+": no scenario") {
				t.Errorf("%v does not name %s:\n%s", arguments, name, text)
			}
		}
		if strings.Count(text, "STALE") != len(stale) {
			t.Errorf("%v names more than %v:\n%s", arguments, stale, text)
		}
	}
	evidence(0, filepath.Join(folder, "a.yaml"))
	if err := os.Remove(filepath.Join(folder, "evidence", "a.pre-fix.txt")); err != nil {
		t.Fatal(err)
	}
	if text := evidence(1, folder); !strings.HasSuffix(text, "EVIDENCE equal=1 stale=1\n") {
		t.Errorf("it ends otherwise:\n%s", text)
	}
}
