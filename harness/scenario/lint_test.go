package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/scenario"
)

const lintSystem = `system: post
channels: {push: {kind: http, request: {method: POST, path: /send}}}
programs:
  work: {command: [sh]}
  ready: {command: [sh], ready: {line: is up}}
`

// TestALineThatMayComeLater warns of a check of what a worker prints while it goes on, and of none
// that waits, or looks at one that stands still or has ended.
func TestALineThatMayComeLater(t *testing.T) {
	const line = "  - check: {worker: w, line: up}\n"
	for steps, warned := range map[string]bool{
		"  - start: {program: work, as: w}\n" + line:                                         true,
		"  - start: {program: work, as: w}\n  - wait: {worker: w, line: other}\n" + line:     true,
		"  - start: {program: work, as: w}\n  - wait: {worker: w, line: now up}\n" + line:    false,
		"  - start: {program: work, as: w}\n  - check: {worker: w, line: up, within: 3s}\n":  false,
		"  - start: {program: work, as: w}\n  - wait: {worker: w}\n" + line:                  false,
		"  - start: {program: work, as: w}\n  - stop: {worker: w}\n" + line + continued:      false,
		"  - start: {program: work, as: w}\n  - kill: {worker: w}\n" + line:                  false,
		"  - run: {program: work, as: w}\n" + line:                                           false,
		"  - start: {program: work, as: w}\n" + hold + line + "  - release: {worker: w}\n":   false,
		"  - start: {program: work, as: w}\n" + hold + "  - release: {worker: w}\n" + line:   true,
		"  - start: {program: work, as: w}\n  - wait: {worker: w, line: up}\n" + counted(2):  true,
		"  - start: {program: work, as: w}\n  - wait: {worker: w}\n" + counted(2):            false,
		"  - start: {program: work, as: w}\n  - wait: {worker: w, line: up}\n" + line + line: false,
		"  - start: {program: ready, as: w}\n" + line:                                        false,
	} {
		folder := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("system.yaml", lintSystem)
		write("a.yaml", "scenario: A\ntitle: a test\nsystem: post\n"+
			"channels: {push: [{otherwise: request}]}\nsteps:\n"+steps+
			"  - check: {journal: push, count: {requests: 1}}\n")
		suite, err := scenario.Load(folder)
		if err != nil {
			t.Fatalf("%v in\n%s", err, steps)
		}
		warnings := scenario.Lint(suite.Scenarios[0])
		if warned != (len(warnings) > 0) {
			t.Errorf("warned should be %t, got %v for\n%s", warned, warnings, steps)
		}
		if warned && !strings.Contains(warnings.Error(), "wait: {worker: w, line: …}") {
			t.Errorf("what to do is not told: %v", warnings)
		}
	}
}

const (
	hold      = "  - hold: {worker: w, event: push, phase: request}\n"
	continued = "  - continue: {worker: w}\n"
)

func counted(n int) string {
	return strings.Replace("  - check: {worker: w, line: up, count: N}\n", "N", string(rune('0'+n)), 1)
}
