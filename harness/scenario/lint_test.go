package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/scenario"
)

const lintSystem = `system: post
databases: {main: {}}
events: {take: {contains: for update}}
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
		warnings := linted(t, "channels: {push: [{otherwise: request}]}\nsteps:\n"+steps+
			"  - check: {journal: push, count: {requests: 1}}\n")
		if warned != (warnings != "") {
			t.Errorf("warned should be %t, got %q for\n%s", warned, warnings, steps)
		}
		if warned && !strings.Contains(warnings, "wait: {worker: w, line: …}") {
			t.Errorf("what to do is not told: %s", warnings)
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

// TestARaceOfTimers warns of a delayed reply, and not of one that never comes.
func TestARaceOfTimers(t *testing.T) {
	for script, warned := range map[string]bool{
		"{request: 1, reply: {status: 200, after_ms: 450}}": true,
		"{request: 1, reply: {status: 200}}":                false,
		"{request: 1, reply: hang}":                         false,
	} {
		warnings := linted(t, "channels: {push: ["+script+"]}\nsteps:\n  - run: {program: work}\n"+
			"  - check: {journal: push, count: {requests: 1}}\n")
		if warned != strings.Contains(warnings, "races the caller's timeout") {
			t.Errorf("warned should be %t, got %q for %s", warned, warnings, script)
		}
	}
}

// TestTheNumberOfAPoller warns of a number that counts what was looked for in vain, and of no
// other.
func TestTheNumberOfAPoller(t *testing.T) {
	for place, warned := range map[string]bool{
		"event: take, nth: 2, phase: request":   true,
		"event: take, nth: 1, phase: request":   false,
		"event: take, nth: 2, phase: response":  false,
		"event: commit, nth: 2, phase: request": false,
		"event: push, nth: 2, phase: request":   false,
	} {
		warnings := linted(t, "channels: {push: [{otherwise: request}]}\nsteps:\n"+
			"  - start: {program: work, as: w}\n  - hold: {worker: w, "+place+"}\n"+
			"  - kill: {worker: w}\n  - check: {journal: push, count: {requests: 1}}\n")
		if warned != strings.Contains(warnings, "find nothing") {
			t.Errorf("warned should be %t, got %q for %s", warned, warnings, place)
		}
	}
}

// linted is what lint says of a scenario; empty for nothing.
func linted(t *testing.T, body string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"system.yaml": lintSystem,
		"a.yaml":      "scenario: A\ntitle: a test\nsystem: post\n" + body,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	suite, err := scenario.Load(folder)
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	return scenario.Lint(suite.Scenarios[0]).Error()
}
