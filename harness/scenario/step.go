package scenario

import (
	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// Step is one action of a scenario: a kind and its fields.
type Step struct {
	At   strict.Position
	Kind string
	Body any
}

// StepKinds lists every kind of step, sorted by name. A new step is a file of its own and a line
// here.
func StepKinds() []strict.Kind {
	return []strict.Kind{
		{Name: "advance", Doc: adviceAdvance, New: func() any { return new(Advance) }},
		{Name: "await", Doc: adviceAwait, New: func() any { return new(Await) }},
		{Name: "blackhole", Doc: adviceBlackhole, New: func() any { return new(Blackhole) }},
		{Name: "check", Doc: adviceCheck, New: func() any { return new(Check) }},
		{Name: "continue", Doc: adviceContinue, New: func() any { return new(Continue) }},
		{Name: "database", Doc: adviceDatabase, New: func() any { return new(DatabaseStep) }},
		{Name: "fail", Doc: adviceFail, New: func() any { return new(Fail) }},
		{Name: "hold", Doc: adviceHold, New: func() any { return new(Hold) }},
		{Name: "kill", Doc: adviceKill, New: func() any { return new(Kill) }},
		{Name: "note", Doc: adviceNote, New: func() any { return new(Note) }},
		{Name: "refuse", Doc: adviceRefuse, New: func() any { return new(Refuse) }},
		{Name: "release", Doc: adviceRelease, New: func() any { return new(Release) }},
		{Name: "run", Doc: adviceRun, New: func() any { return new(Run) }},
		{Name: "schedule", Doc: adviceSchedule, New: func() any { return new(Schedule) }},
		{Name: "sever", Doc: adviceSever, New: func() any { return new(Sever) }},
		{Name: "sql", Doc: adviceSQL, New: func() any { return new(SQL) }},
		{Name: "start", Doc: adviceStart, New: func() any { return new(Start) }},
		{Name: "stop", Doc: adviceStop, New: func() any { return new(Stop) }},
		{Name: "wait", Doc: adviceWait, New: func() any { return new(Wait) }},
	}
}

// DecodeStrict reads a step: a mapping of one key, its kind.
func (s *Step) DecodeStrict(d *strict.Context, node *yaml.Node) {
	s.At = d.PositionOf(node)
	s.Kind, s.Body, _ = strict.DecodeOneKey(d, node, StepKinds())
}

// StrictSchema describes a step.
func (Step) StrictSchema(g *strict.Generator) map[string]any {
	return g.OneKey(StepKinds())
}
