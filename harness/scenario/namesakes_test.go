package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/scenario"
)

// A copy that was not renamed would take the other's evidence for its own, also when it is loaded
// alone. A system below has names of its own, and so has a renamed copy.
func TestANamesakeIsFoundAmongFilesThatAreNotLoaded(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	system := func(name string) string {
		return "system: " + name + "\nprograms: {p: {command: [sh]}}\n"
	}
	body := func(name, system string) string {
		return "scenario: " + name + "\ntitle: t\nsystem: " + system + "\nsteps:\n" +
			"  - run: {program: p, as: w}\nexpect:\n  - check: {worker: w, ended: {exit: 0}}\n"
	}
	write("system.yaml", system("outer"))
	write("one.yaml", body("one", "outer"))
	write("inner/system.yaml", system("inner"))
	write("inner/two.yaml", body("two", "inner"))
	two := write("two.yaml", body("two", "outer"))
	if _, err := scenario.Load(two); err != nil {
		t.Errorf("a name of another system: %v", err)
	}
	copied := write("copy.yaml", body("one", "outer"))
	_, err := scenario.Load(copied)
	const told = "copy.yaml:1:11: a second scenario is called one"
	if err == nil || !strings.Contains(err.Error(), told) {
		t.Errorf("the copy was not noticed: %v", err)
	}
	if _, err := scenario.Load(folder); strings.Count(err.Error(), "is called one") != 1 {
		t.Errorf("it is to be told once: %v", err)
	}
}
