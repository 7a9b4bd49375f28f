package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerbose prints every event and what each worker printed.
func TestVerbose(t *testing.T) {
	t.Parallel()
	o := call(t, "run", "-v", held, "testdata/database/bypassed-not.yaml")
	golden(t, "verbose", normal(o.expectStatus(t, 0).String(), nil))
}

// TestOut writes results and histories, beside what is printed.
func TestOut(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "out")
	o := call(t, "run", "--out", folder, held).expectStatus(t, 0)
	text := strings.ReplaceAll(o.String(), folder, "OUT")
	for _, name := range files(t, folder) {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		text += "=== " + name + "\n" + string(content)
	}
	golden(t, "out", normal(text, nil))
}

// files lists the files below a folder, by their paths in it.
func files(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

const (
	held   = "testdata/channels/held-at-request.yaml"
	killed = "testdata/database/killed-after-commit.yaml"
)

// TestEvidence writes evidence, finds it equal, and finds what somebody changed in it.
func TestEvidence(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	evidence := func(status int, arguments ...string) string {
		t.Helper()
		o := call(t, append([]string{"evidence", "--into", folder, held, killed}, arguments...)...)
		return normal(o.expectStatus(t, status).String(), map[string]string{folder: "EVIDENCE"})
	}
	text := evidence(1) + evidence(0, "--write") + evidence(0)
	path := filepath.Join(folder, "database", "killed-after-commit.txt")
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text += "=== killed-after-commit.txt\n" + string(written)
	changed := strings.Replace(string(written), "ok   letters", "FAIL letters", 1)
	if changed == string(written) {
		t.Fatalf("the evidence has no such check:\n%s", written)
	}
	write(t, path, changed)
	golden(t, "evidence", text+evidence(1))
	if after, err := os.ReadFile(path); err != nil || string(after) != changed {
		t.Errorf("comparing has written evidence (%v):\n%s", err, after)
	}
}

// TestInconclusiveEvidence makes sure that what proves nothing leaves no evidence.
func TestInconclusiveEvidence(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := call(t, "evidence", "--write", "--into", folder, "testdata/channels/unmet.yaml")
	o.expectStatus(t, 3)
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("evidence of nothing: %v", left)
	}
}
