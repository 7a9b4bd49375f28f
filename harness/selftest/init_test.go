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
	broken := strings.Replace(source, `Sprintf("order-%d", id)`,
		`Sprintf("order-%d-%p", id, request)`, 1)
	if broken == source {
		t.Fatalf("the worker has no such key:\n%s", source)
	}
	write(t, worker, broken)
	red := callWith(t, offline, "run", folder).expectStatus(t, 1)
	if !strings.Contains(red.stdout, "FAIL payments sends (expected=1, actual=2)") {
		t.Errorf("it does not fail where it should:\n%s", red)
	}
}
