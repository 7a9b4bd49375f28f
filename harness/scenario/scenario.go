// Package scenario holds the pure types of the two kinds of file, their decoding, and every mistake
// that can be found in them before anything is started.
package scenario

import (
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// DefaultDeadline bounds each wait of a scenario that names no other. It only bounds failure.
const DefaultDeadline = 30 * time.Second

// Scenario is one YAML file: what is done, and what must then be seen.
type Scenario struct {
	At       strict.Position            `key:"-"`
	ID       strict.Text                `key:"scenario,required" pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]*$" doc:"The scenario's short name, unique in its system."`
	Title    string                     `key:"title,required" doc:"What happens and what must be seen, in one line."`
	System   strict.Text                `key:"system,required" doc:"The system it is for: the system.yaml of its folder or of one above."`
	Variant  strict.Text                `key:"variant" doc:"The defect or other build that a negative control runs against."`
	Clock    string                     `key:"clock" enum:"frozen,moving,real" doc:"What now() is. Default: as the system says."`
	Deadline time.Duration              `key:"deadline" doc:"Bounds each wait; it only bounds failure. Default: 30s."`
	Tags     []strict.Text              `key:"tags" doc:"slow and field run only when their path or tag is named."`
	Limits   []string                   `key:"limits" doc:"What the scenario does not prove."`
	Matrix   strict.Map[[]strict.Value] `key:"matrix" doc:"Parameters; the scenario runs once for each combination, ${matrix.NAME} standing for the value."`
	Channels strict.Map[[]Entry]        `key:"channels" doc:"What each channel does with the calls it gets."`
	Steps    []Step                     `key:"steps,required" doc:"What is done, in this order."`
	Expect   []Step                     `key:"expect" doc:"Checks of what is left, read in one snapshot."`

	// File is where the scenario was read from; Cell names its combination of the matrix, if any.
	File string `key:"-"`
	Cell string `key:"-"`
	// Source are the lines of the file.
	Source []string `key:"-"`
	// Document is the file's outermost mapping, with the parameters of the matrix put in.
	Document *yaml.Node `key:"-"`
	// Version names what the scenario does and checks; see versionOf.
	Version string `key:"-"`
	// Failing are the names of the checks that must fail: the scenario is the twin of another one,
	// for a variant that says so. All other checks must hold as ever.
	Failing []string `key:"-"`
	// Under is the system that the scenario is for.
	Under *System `key:"-"`
	// Armed are the scenario's holds with the addresses at which they are armed.
	Armed []Armed `key:"-"`
	// Lives are the lives of its workers, in the order of the steps that start them.
	Lives []Life `key:"-"`
	// Scheduled are the lives of workers that schedule steps let go.
	Scheduled map[Life]bool `key:"-"`
	// Competing are the lives of workers that run beside others without a hold.
	Competing map[Life]bool `key:"-"`

	early strict.Problems // lint's: checks of lines that may come later
}

// Name is the scenario's id, with its combination of the matrix.
func (s *Scenario) Name() string {
	if s.Cell == "" {
		return s.ID.Value
	}
	return s.ID.Value + "[" + s.Cell + "]"
}

// FileName is the name as part of a file's.
func (s *Scenario) FileName() string {
	if s.Cell == "" {
		return s.ID.Value
	}
	return s.ID.Value + "-" + notInFileNames.ReplaceAllString(s.Cell, "-")
}

// notInFileNames is what neither a scenario's short name nor a file's may hold.
var notInFileNames = regexp.MustCompile(`[^A-Za-z0-9_.]+`)

// NegativeControl tells whether the scenario must show damage: one of its checks names a witness,
// or it is the twin of another for a variant that says which of them must fail.
func (s *Scenario) NegativeControl() bool {
	if len(s.Failing) > 0 {
		return true
	}
	for _, step := range s.AllSteps() {
		if check, ok := step.Body.(*Check); ok && check.Exposes != "" {
			return true
		}
	}
	return false
}

// HasTag tells whether the scenario carries a tag.
func (s *Scenario) HasTag(tag string) bool {
	for _, own := range s.Tags {
		if own.Value == tag {
			return true
		}
	}
	return false
}

// FindingTag marks a scenario that shows what is wrong by failing, as an exploration writes it. Its
// variant needs no other witness: without it in effect, nothing fails.
const FindingTag = "finding"

// OptInTags are the tags whose scenarios run only when their path or tag is named.
func OptInTags() []string { return []string{"slow", "field"} }

// OptIn is the first tag of the scenario that keeps it from running unasked; empty for none.
func (s *Scenario) OptIn() string {
	for _, tag := range OptInTags() {
		if s.HasTag(tag) {
			return tag
		}
	}
	return ""
}

// AllSteps are the steps and the expectations, in the order in which they are done.
func (s *Scenario) AllSteps() []Step {
	all := make([]Step, 0, len(s.Steps)+len(s.Expect))
	return append(append(all, s.Steps...), s.Expect...)
}
