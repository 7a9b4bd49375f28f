package selftest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestInit writes a first system, which runs green at once, without a network, wherever it is; and
// red once its worker is broken as its scenario proposes.
func TestInit(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "mine")
	text := call(t, "init", folder).expectStatus(t, 0).String()
	text += call(t, "init", folder).expectStatus(t, 2).String()
	golden(t, "init", normal(text, map[string]string{folder: "FOLDER"}))
	call(t, "lint", "--strict", folder).expectStatus(t, 0)
	offline := []string{"GOPROXY=off", "GOFLAGS=-mod=readonly"}
	o := callWith(t, offline, "run", folder).expectStatus(t, 0)
	if !strings.HasSuffix(o.stdout, "SUMMARY passed=13 failed=0\n") {
		t.Errorf("it is not green:\n%s", o)
	}
	worker := filepath.Join(folder, "worker", "main.go")
	source := readFile(t, worker)
	before, after, seen := proposed(t, filepath.Join(folder, "killed-after-acceptance.yaml"))
	broken := strings.Replace(source, before, after, 1)
	if broken == source {
		t.Fatalf("the worker has no %s:\n%s", before, source)
	}
	write(t, worker, broken)
	red := callWith(t, offline, "run", folder).expectStatus(t, 1)
	if !strings.Contains(red.stdout, seen) {
		t.Errorf("it does not say %q:\n%s", seen, red)
	}
}

// proposed is the edit that a scenario's last comment gives, and what it says will be seen.
func proposed(t *testing.T, path string) (before, after, seen string) {
	t.Helper()
	var given []string
	for _, line := range strings.Split(readFile(t, path), "\n") {
		if text, found := strings.CutPrefix(line, "#   "); found {
			given = append(given, text)
		}
	}
	if len(given) != 3 || !strings.HasPrefix(given[2], "FAIL ") {
		t.Fatalf("%s proposes %q, not an edit and what comes of it", path, given)
	}
	return given[0], given[1], given[2]
}
