package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/scenario"
)

const witnessSystem = `system: post
programs: {work: {command: [work]}}
databases: {main: {}}
facts: {parcels: {sql: select 1}}
`

// A scenario that runs against a variant has to show that the variant was in effect: by a check
// that exposes its damage, or by an exit status that the program as it stands would not have.
func TestAVariantNeedsAWitness(t *testing.T) {
	for _, row := range []struct {
		name, steps string
		accepted    bool
	}{
		{"none", "steps: [run: {program: work}]\nexpect: [check: {fact: parcels, count: 0}]", false},
		{"exposed damage",
			"steps: [run: {program: work}]\n" +
				"expect: [check: {exposes: loss, fact: parcels, count: 0}]", true},
		{"exit of a run",
			"steps: [run: {program: work, exit: 73}]\nexpect: [check: {fact: parcels, count: 0}]", true},
		{"exit of a wait", "steps: [start: {program: work}, wait: {worker: work, exit: 73}]\n" +
			"expect: [check: {fact: parcels, count: 0}]", true},
		{"exit in a check", "steps: [start: {program: work}, check: {fact: parcels, count: 0}]\n" +
			"expect: [check: {worker: work, ended: {exit: 73}}]", true},
		{"a good end",
			"steps: [run: {program: work}]\nexpect: [check: {worker: work, ended: {exit: 0}}]", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			folder := t.TempDir()
			write := func(name, content string) {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write("system.yaml", witnessSystem)
			if err := os.Mkdir(filepath.Join(folder, "defects"), 0o755); err != nil {
				t.Fatal(err)
			}
			write("defects/broken.yaml", "")
			write("a.yaml", "scenario: A\ntitle: a test\nsystem: post\nvariant: broken\n"+row.steps)
			_, err := scenario.Load(folder)
			if row.accepted != (err == nil) {
				t.Errorf("accepted should be %t, got %v", row.accepted, err)
			}
			if err != nil && !strings.Contains(err.Error(), "nothing shows that it was in effect") {
				t.Errorf("another mistake: %v", err)
			}
		})
	}
}
