package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAPipeAsAFactIsNotRead makes sure that a check of a file does not wait for a pipe's writer.
func TestAPipeAsAFactIsNotRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"system.yaml": "system: piped\nprograms: {say: {command: [echo, hello]}}\n",
		"one.yaml": "scenario: one\ntitle: a pipe is looked at\nsystem: piped\nsteps:\n" +
			"  - run: {program: say}\nexpect:\n  - check: {file: pipe, count: 0}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := call(t, "run", folder).expectStatus(t, 3)
	if !strings.Contains(o.stdout, "pipe is no regular file") {
		t.Errorf("it is not said why:\n%s", o)
	}
}
