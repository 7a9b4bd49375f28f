package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleRuns runs README's scenario in a copy of what it needs, and compares what it prints
// with the excerpt on the first screen.
func TestExampleRuns(t *testing.T) {
	root, readme := moduleRoot(t), read(t, "README.md")
	excerpt := excerptOf(t, readme)
	tree := t.TempDir()
	parts := []string{
		"go.mod", "go.sum", "dispatcher", "scenarios/dispatcher/system.yaml",
		"scenarios/dispatcher/B3.yaml", "defects/dispatcher", // as pre_fix names them
	}
	for _, part := range parts {
		copyInto(t, root, tree, part)
	}
	file := filepath.Join("scenarios", "dispatcher", "killed-after-acceptance.yaml")
	write(t, filepath.Join(tree, file), blocksOf(t, "README.md", readme, "yaml scenario")[0].text)
	lint(t, filepath.Join(tree, "scenarios"))
	run := exec.Command(command(t), file)
	run.Dir = tree
	run.Env = append(os.Environ(), "NO_COLOR=1")
	var trouble strings.Builder
	run.Stderr = &trouble
	out, err := run.Output()
	if err != nil {
		t.Fatalf("README.md's example does not pass: %v\n%s%s", err, out, trouble.String())
	}
	if string(out) != excerpt {
		line, says, prints := firstDifference(excerpt, string(out))
		t.Errorf("README.md: line %d of the output on the first screen is out of date\n"+
			"  it says:      %s\n  the run said: %s", line, says, prints)
	}
}

func excerptOf(t *testing.T, readme string) string {
	t.Helper()
	for _, each := range blocks(readme) {
		if strings.HasPrefix(each.text, "CASE ") {
			return each.text
		}
	}
	t.Fatal("README.md shows no output")
	return ""
}

// copyInto copies a file, or the files of a folder, to the same place in another tree.
func copyInto(t *testing.T, from, to, part string) {
	t.Helper()
	source, target := filepath.Join(from, part), filepath.Join(to, part)
	info, err := os.Stat(source)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(target, os.DirFS(source))
	} else {
		write(t, target, read(t, part))
	}
	if err != nil {
		t.Fatal(err)
	}
}
