// Package result holds what a run of one scenario came to, as plain data: it can be saved, and
// judged and printed again without running anything.
package result

import (
	"time"

	"lostreply/harness/check"
	"lostreply/harness/event"
)

// Kind says what an entry of a result is.
type Kind string

// The kinds of entries, in the order in which a reader meets them most.
const (
	Check   Kind = "check"   // a judgement
	Held    Kind = "held"    // a hold was reached: where
	Note    Kind = "note"    // something that varies from run to run; never part of evidence
	Trouble Kind = "trouble" // why the scenario is inconclusive
)

// Entry is one line of a result.
type Entry struct {
	Kind Kind `json:"kind"`
	// Line is the judgement of a check.
	Line check.Line `json:"line,omitzero"`
	// Text is what a note, a held or a trouble entry says.
	Text string `json:"text,omitempty"`
	// At is the step that the entry comes from: file:line.
	At string `json:"at,omitempty"`
	// Step is how that step is written, when it is shown.
	Step []string `json:"step,omitempty"`
	// Facts are all facts of the system at that moment, when a check did not hold; none where they
	// are as they were told of the entry before that did not.
	Facts []string `json:"facts,omitempty"`
	// After is how many events of the history there were when the entry was made.
	After int `json:"after"`
	// Context is shown beneath an entry that did not pass: what was seen, the last lines.
	Context []string `json:"context,omitempty"`
	// Hung is the worker whose end the step waited for until its deadline, if that is the trouble.
	Hung string `json:"-"`
}

// Worker is one life of a worker.
type Worker struct {
	Name        string `json:"name"`
	Incarnation int    `json:"incarnation"`
	Program     string `json:"program"`
	// Command is what was executed, with its arguments.
	Command []string `json:"command"`
	// Ending is how it ended: "exit 0", "signal KILL"; empty when it was ended quietly after the
	// last check.
	Ending string `json:"ending,omitempty"`
	// Quiet marks a worker that the harness ended after the last check: its end is nobody's doing.
	Quiet bool `json:"quiet,omitempty"`
	// Competes marks a worker that ran beside another without a hold: its order of events is
	// nobody's choice and no part of evidence.
	Competes bool `json:"competes,omitempty"`
	// Lines are the last lines that it printed.
	Lines []string `json:"lines,omitempty"`
}

// Result is what one scenario came to.
type Result struct {
	Scenario string `json:"scenario"`
	Title    string `json:"title"`
	System   string `json:"system"`
	// Version names what the scenario does and checks: see scenario.Scenario.
	Version  string   `json:"scenario_version,omitempty"`
	Variant  string   `json:"variant,omitempty"`
	File     string   `json:"file"`
	Category string   `json:"category"`
	Limits   []string `json:"limits,omitempty"`

	Verdict check.Verdict `json:"verdict"`
	// Skipped says why the scenario was not run at all; empty when it was.
	Skipped string        `json:"skipped,omitempty"`
	Entries []Entry       `json:"entries"`
	Workers []Worker      `json:"workers"`
	History []event.Event `json:"history"`
	// Attempts is how many times the scenario was run for this result. There are no silent retries.
	Attempts int           `json:"attempts"`
	Duration time.Duration `json:"duration_ns"`
}

// Judge sets the verdict by the entries: a failed check fails the scenario, trouble leaves it
// inconclusive, and so does a scenario that judged nothing.
func (r *Result) Judge() {
	if r.Skipped != "" {
		r.Verdict = check.Inconclusive
		return
	}
	var verdicts []check.Verdict
	for _, entry := range r.Entries {
		switch entry.Kind {
		case Check:
			verdicts = append(verdicts, entry.Line.Verdict)
		case Trouble:
			verdicts = append(verdicts, check.Inconclusive)
		}
	}
	r.Verdict = check.Worst(verdicts...)
}

// Lines are the judgements of the result, in order.
func (r *Result) Lines() []check.Line {
	var lines []check.Line
	for _, entry := range r.Entries {
		if entry.Kind == Check {
			lines = append(lines, entry.Line)
		}
	}
	return lines
}
