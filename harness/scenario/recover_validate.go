package scenario

import "lostreply/harness/strict"

func (s *System) validateRecover(problems *Problems) {
	for _, run := range s.Recover.Run {
		if program, known := s.checkProgram(problems, run.Program); known {
			program.checkArguments(problems, run.At, run.Program.Value, run.Args)
		}
	}
	checker := &scenarioChecker{system: s, problems: problems}
	for _, name := range s.Recover.Converge {
		checker.fact(name)
	}
	checker.comparison(s.Recover.Until.At, &s.Recover.Until.Subject, &s.Recover.Until.Comparison)
	s.validateInvariants(problems, checker)
}

// validateInvariants refuses two of one name, and what is known only within a scenario: workers,
// their files, and earlier checks.
func (s *System) validateInvariants(problems *Problems, checker *scenarioChecker) {
	named := map[string]strict.Position{}
	for _, each := range s.Recover.Invariants {
		if each.Name.Value == "" {
			problems.Addf(each.Name.At, "an invariant needs a name, by which its violation is told")
		}
		if at, twice := named[each.Name.Value]; twice {
			problems.Addf(each.Name.At, "invariant %s is defined twice; the other is at %s",
				each.Name.Value, at)
		}
		named[each.Name.Value] = each.Name.At
		check := each.Check
		if len(check.Subject.Worker) > 0 || check.Subject.File.Value != "" ||
			check.Comparison.UnchangedSince.Value != "" || check.Comparison.ChangedSince.Value != "" {
			problems.Addf(check.At, "an invariant is about a fact or a journal: it is checked in every "+
				"scenario, and knows no worker and no earlier check")
			continue
		}
		checker.comparison(check.At, &check.Subject, &check.Comparison)
	}
}
