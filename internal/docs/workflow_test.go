package docs

import (
	"os/exec"
	"strings"
	"testing"
)

// actionlint tells what GitHub would refuse, or would take for something else, in a workflow.
func actionlint(t *testing.T, workflow string) (said string, sound bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "tool", "actionlint", "-no-color",
		"-shellcheck=", "-pyflakes=", "-")
	cmd.Dir, cmd.Stdin = moduleRoot(t), strings.NewReader(workflow)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestWorkflows checks the project's own workflow and the one that README.md shows; and that the
// checker finds what is wrong.
func TestWorkflows(t *testing.T) {
	own := read(t, ".github/workflows/ci.yml")
	shown := blocksOf(t, "README.md", read(t, "README.md"), "yaml workflow")[0].text
	for name, workflow := range map[string]string{"ci.yml": own, "README.md": shown} {
		if said, sound := actionlint(t, workflow); !sound {
			t.Errorf("%s:\n%s", name, said)
		}
		for _, change := range [][2]string{
			{"runs-on: ubuntu-latest", "run-on: ubuntu-latest"}, {"${{ runner.os }}", "${{ runer.os }}"},
			{"go-version-file: go.mod", "go-version-fiel: go.mod"},
		} {
			wrong := strings.Replace(workflow, change[0], change[1], 1)
			if wrong == workflow {
				t.Fatalf("%s has no %s", name, change[0])
			}
			if said, sound := actionlint(t, wrong); sound {
				t.Errorf("%s with %s is taken for sound: %s", name, change[1], said)
			}
		}
	}
}
