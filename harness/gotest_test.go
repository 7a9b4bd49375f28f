package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// TestScenarios runs the dispatcher's scenario of the lost reply as anyone's Go tests would.
func TestScenarios(t *testing.T) {
	harness.Run(t, "../scenarios/dispatcher/T1.yaml", "selftest/testdata/selection/a1.yaml")
}

// elsewhere is a module of somebody else that takes the harness in: a scenario that passes, one
// that fails and one that is left out.
var elsewhere = map[string]string{
	"scenarios_test.go": `package elsewhere

import (
	"testing"

	"lostreply/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

func TestScenarios(t *testing.T) { harness.Run(t, "scenarios") }
`,
	"scenarios/system.yaml": `system: ends
programs: {work: {command: [sh, -c, "echo says; exit ${args.status}"], args: {status: integer}}}
`,
	"scenarios/T1.yaml": ending("T1", "0", ""), "scenarios/T2.yaml": ending("T2", "7", ""),
	"scenarios/T3.yaml": ending("T3", "7", "tags: [slow]\n"),
}

func ending(name, status, more string) string {
	return "scenario: " + name + "\ntitle: it ends well\nsystem: ends\n" + more + `steps:
  - start: {program: work, args: {status: ` + status + `}}
  - wait: {worker: work}
expect:
  - check: {worker: work, ended: {exit: 0}}
`
}

// TestAnotherModule runs scenarios as the Go tests of another module: all of them, and one by name.
func TestAnotherModule(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range elsewhere {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	module(t, root, folder)
	test := func(arguments ...string) (string, bool) {
		cmd := exec.CommandContext(t.Context(), "go",
			append([]string{"test", "-mod=mod", "-count=1", "-v"}, arguments...)...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	out, passed := test()
	for _, want := range []string{
		"--- PASS: TestScenarios/T1", "--- FAIL: TestScenarios/T2", "--- SKIP: TestScenarios/T3",
		"FAIL work ended (expected=exit 0, actual=exit 7)",
		"again: go test -run '^TestScenarios$/^T2$'",
	} {
		if passed || !strings.Contains(out, want) {
			t.Fatalf("want a failure that says %q; passed: %t\n%s", want, passed, out)
		}
	}
	out, passed = test("-run", "Scenarios/T1")
	if !passed || !strings.Contains(out, "--- PASS: TestScenarios/T1") ||
		strings.Contains(out, "TestScenarios/T2") {
		t.Errorf("T1 alone; passed: %t\n%s", passed, out)
	}
}

// module writes the go.mod of a module that takes in the harness from where it stands.
func module(t *testing.T, root, folder string) {
	t.Helper()
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(own), "module lostreply", "module elsewhere", 1)
	text += "\nrequire lostreply v0.0.0\n\nreplace lostreply => " + root + "\n"
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"go.mod": []byte(text), "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
