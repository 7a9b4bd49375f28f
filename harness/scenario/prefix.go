package scenario

import (
	"slices"

	"lostreply/harness/strict"
)

// BeforeTheFix is the scenario against the variant that brings back the bug that it was written
// for; nil when the system file names none. Its evidence is kept beside the scenario's own.
func (s *Scenario) BeforeTheFix() *Scenario {
	variant, named := s.Under.PreFix.Get(s.ID.Value)
	if !named || len(s.Failing) > 0 {
		return nil
	}
	before := *s
	before.Variant = variant
	return &before
}

// validatePreFix reports variants that the system does not have.
func (s *System) validatePreFix(problems *Problems) {
	for _, entry := range s.PreFix.Entries {
		if names := s.VariantNames(); !slices.Contains(names, entry.Value.Value) {
			problems.Addf(entry.Value.At, "%s", strict.Unknown("variant", entry.Value.Value, names))
		}
	}
}

// checkPreFix reports scenarios that pre_fix names and that there are not, and negative controls:
// what runs against a variant already has no other side. Only who loads the system's whole folder
// can tell.
func (l *loader) checkPreFix(system *System) {
	var names []string
	for _, each := range l.suite.Scenarios {
		if each.Under == system && each.Variant.Value == "" {
			names = append(names, each.ID.Value)
		}
	}
	for _, entry := range system.PreFix.Entries {
		if !contains(names, entry.Name) {
			l.problems.Addf(entry.At, "pre_fix: %s (of those without a variant)",
				strict.Unknown("scenario", entry.Name, slices.Compact(names)))
		}
	}
}
