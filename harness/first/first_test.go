package first_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lostreply/harness/first"
)

// TestModulesAreThoseOfTheHarness makes sure that everything is in the module cache of who has
// built the harness: the same versions, by the same sums.
func TestModulesAreThoseOfTheHarness(t *testing.T) {
	folder := t.TempDir()
	if _, err := first.Write(folder); err != nil {
		t.Fatal(err)
	}
	own := read(t, "../../go.mod") + read(t, "../../go.sum")
	lines := read(t, filepath.Join(folder, "go.sum"))
	required := regexp.MustCompile(`(?m)^(?:require|\t)\s*(\S+/\S+ v\S+)`).
		FindAllStringSubmatch(read(t, filepath.Join(folder, "go.mod")), -1)
	if len(required) != 4 {
		t.Fatalf("go.mod was not understood: %q", required)
	}
	for _, match := range required {
		lines += match[1] + "\n"
	}
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		if !strings.Contains(own, line) {
			t.Errorf("lostreply is not built with %q: copy the versions of its go.mod and the lines "+
				"of its go.sum into harness/first/files", line)
		}
	}
}

// TestNothingIsOverwritten makes sure that a file that is there stays as it is, and that none is
// written beside it.
func TestNothingIsOverwritten(t *testing.T) {
	folder := t.TempDir()
	mine := filepath.Join(folder, "system.yaml")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Write(folder); !errors.Is(err, first.ErrTaken) {
		t.Errorf("got %v, want that it is taken", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || read(t, mine) != "mine" {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
