// Package selftest tests the harness from outside: the command is built once and run on small
// systems of its own, below testdata, and what it prints and how it exits is compared with
// committed text. Each refusal is shown in both directions: the lie is caught, and the honest twin
// beside it passes.
package selftest

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// update writes the golden files instead of comparing with them.
var update = flag.Bool("update", false, "write the golden files")

// binary is the command under test; it is set once, by TestMain.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	status, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func buildAndRun(m *testing.M) (status int, err error) {
	folder, err := os.MkdirTemp("", "lostreply-selftest-")
	if err != nil {
		return 0, fmt.Errorf("make a folder for the command: %w", err)
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "lostreply")
	if err := noteSources("../.."); err != nil {
		return 0, fmt.Errorf("look at the command's sources: %w", err)
	}
	build := exec.Command("go", "build", "-o", binary, "lostreply/cmd/lostreply")
	output, err := build.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("build the command: %w\n%s", err, output)
	}
	return m.Run(), nil
}

// noteSources looks at every source that the command may be built from: by that the test cache
// knows what these tests depend on, and never answers with what they said of another command.
func noteSources(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".go", ".sql", ".mod", ".sum":
			_, err = os.Stat(path)
		}
		return err
	})
}
