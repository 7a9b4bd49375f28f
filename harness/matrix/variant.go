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
}

// Label names the variant among those of all systems.
func (v Variant) Label() string { return v.System.Name.Value + "/" + v.Name }

// Names tells whether a scenario is one that the variant says must fail.
func (v Variant) Names(s *scenario.Scenario) bool {
	return s.Under == v.System && slices.ContainsFunc(v.Fails, func(f scenario.Failure) bool {
		return names(f, s)
	})
}

func names(f scenario.Failure, s *scenario.Scenario) bool {
	return f.Scenario.Value == s.ID.Value || f.Scenario.Value == s.Name()
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
	for _, f := range v.Fails {
		if !slices.Contains(valid, f.Scenario.Value) {
			problems = append(problems, strict.Problem{At: f.Scenario.At,
				Message: strict.Unknown("scenario", f.Scenario.Value, slices.Compact(valid))})
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

// Runs are the scenarios that are run against the variant: those that it names, or with full all
// of its system but for those with a variant of their own.
func (v Variant) Runs(all []*scenario.Scenario, full bool) []Run {
	var runs []Run
	for _, s := range all {
		own := s.Variant.Value == v.Name
		asks := full && s.OptIn() == "" && (own || s.Variant.Value == "")
		if s.Under != v.System || len(s.Failing) > 0 || !asks && !v.Names(s) {
			continue
		}
		against := *s
		against.Variant = strict.Text{Value: v.Name, At: s.At}
		runs = append(runs, Run{Scenario: &against, Own: own})
	}
	return runs
}
