package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/scenario"
)

const postCase = `scenario: A
title: a test
system: post
steps: [run: {program: work}]
expect: [check: {worker: work, ended: {exit: 0}}]
`

// load loads one scenario of a system whose file ends with more.
func load(t *testing.T, more, command, instead string) (*scenario.Suite, error) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"system.yaml": "system: post\nprograms: {work: {command: [work" + command + "]}}\n" + more,
		"a.yaml":      strings.Replace(postCase, "system: post\n", "system: post\n"+instead, 1),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return scenario.Load(folder)
}

func TestMistakesInWhatIsInstalledAreFoundAtLoad(t *testing.T) {
	for _, row := range []struct{ name, more, command, instead, says string }{
		{"all is well", "needs: {commands: [sh]}\n" +
			"install: {npm: {pg: 8.16.3, \"@scope/a\": 1.0.0-rc.1}}\n",
			`, "${install}", "${python}"`, "", ""},
		{"a range", "install: {npm: {pg: ^8.16.3}}\n", "", "",
			`expected one exact version such as 8.16.3, got "^8.16.3"`},
		{"a tag", "install: {npm: {pg: latest}}\n", "", "", `got "latest"`},
		{"no package's name", "install: {npm: {Pg: 8.16.3}}\n", "", "",
			"can't be the name of an npm package"},
		{"no package", "install: {npm: {}}\n", "", "", "npm"},
		{"nothing needed", "needs: {}\n", "", "", "needs names nothing"},
		{"no module's name", "needs: {python: [\"os; import sys\"]}\n", "", "",
			"can't be the name of a Python module"},
		{"nothing installed", "", `, "${install}"`, "", "install"},
		{"a scenario that is not there",
			"variants: {old: {install: {npm: {pg: 8.0.0}}, fails: [{scenario: B, check: c}]}}\n",
			"", "", "scenario"},
		{"another variant's name", "variants: {old: {install: {npm: {pg: 8.0.0}}}}\n", "",
			"variant: olt\n", "old"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := load(t, row.more, row.command, row.instead)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if (row.says == "") != (err == nil) || !strings.Contains(said, row.says) {
				t.Errorf("got %v, want %q", err, row.says)
			}
		})
	}
}

func TestVersionsOfAVariantGoBeforeAllOthers(t *testing.T) {
	suite, err := load(t, `install: {npm: {a: 1.0.0, b: 1.0.0}}
needs: {commands: [sh]}
variants: {old: {install: {npm: {a: 0.9.0}}, fails: [{scenario: A, check: work ended}]}}
`, `, "${python}"`, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(suite.Scenarios) != 2 {
		t.Fatalf("%d scenarios, want the one and its twin for the variant", len(suite.Scenarios))
	}
	for i, want := range []struct{ name, a string }{{"A", "1.0.0"}, {"A[old]", "0.9.0"}} {
		each := suite.Scenarios[i]
		program, _ := each.Under.Programs.Get("work")
		required := each.Under.RequirementsOf(&program, each.Variant.Value)
		if each.Name() != want.name || required.Packages["a"] != want.a ||
			required.Packages["b"] != "1.0.0" || !required.Interpreter {
			t.Errorf("%s requires %+v, want %+v", each.Name(), required, want)
		}
	}
}
