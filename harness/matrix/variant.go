package matrix

import (
	"slices"

	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// Variant is a build of a system, with the checks that it says must fail.
type Variant struct {
	System      *scenario.System
	Name, Title string
	Fails       []scenario.Failure
	Also        []strict.Text // scenarios that are run against it besides
}

// Label names the variant among those of all systems.
func (v Variant) Label() string { return v.System.Name.Value + "/" + v.Name }

// asksFor tells whether the scenario is run against the variant: one that it names, or a negative
// control of its own.
func (v Variant) asksFor(s *scenario.Scenario) bool {
	fails := slices.ContainsFunc(v.Fails, func(f scenario.Failure) bool {
		return called(f.Scenario, s)
	})
	also := slices.ContainsFunc(v.Also, func(name strict.Text) bool {
		return s.OptIn() == "" &&
			(matches(name.Value, s.ID.Value) || matches(name.Value, s.Name()))
	})
	return fails || also || s.Variant.Value == v.Name && s.OptIn() == ""
}

func called(name strict.Text, s *scenario.Scenario) bool {
	return name.Value == s.ID.Value || name.Value == s.Name()
}

// Missing reports what the variant names and the system's scenarios don't have. Nothing would run
// against it then.
func (v Variant) Missing(all []*scenario.Scenario) strict.Problems {
	var valid []string
	for _, s := range all {
		if s.Under.File == v.System.File {
			valid = append(valid, s.ID.Value, s.Name())
		}
	}
	var problems strict.Problems
	unknown := func(name strict.Text) {
		problems = append(problems, strict.Problem{At: name.At,
			Message: strict.Unknown("scenario", name.Value, slices.Compact(valid))})
	}
	for _, f := range v.Fails {
		if !slices.Contains(valid, f.Scenario.Value) {
			unknown(f.Scenario)
		}
	}
	for _, also := range v.Also {
		if !slices.ContainsFunc(valid, func(s string) bool { return matches(also.Value, s) }) {
			unknown(also)
		}
	}
	return problems
}

// Run is one scenario against one build.
type Run struct {
	Scenario *scenario.Scenario
	// Own says that the scenario runs against this build whoever runs it: a negative control. Where
	// it exposes the damage, its witness passes by the damage being there.
	Own    bool
	Result result.Result
}

// Runs are the scenarios that are run against the variant: those that it asks for, or with full all
// of its system but for those with another variant of their own.
func (v Variant) Runs(all []*scenario.Scenario, full bool) []Run {
	var runs []Run
	for _, s := range all {
		own := s.Variant.Value == v.Name
		asked := v.asksFor(s) || full && s.OptIn() == "" && s.Variant.Value == ""
		if s.Under != v.System || len(s.Failing) > 0 || !asked {
			continue
		}
		against := *s
		against.Variant = strict.Text{Value: v.Name, At: s.At}
		runs = append(runs, Run{Scenario: &against, Own: own})
	}
	return runs
}
