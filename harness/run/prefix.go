package run

import (
	"fmt"
	"slices"

	"lostreply/harness/check"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/variant"
)

// ShowsItsBug tells whether a scenario that was run against the variant that brings its bug back
// fails, and fails where the variant says. The error of one that does not says what held: evidence
// from before a fix that shows no bug would prove nothing.
func ShowsItsBug(r result.Result, s *scenario.Scenario) error {
	if r.Verdict != check.Fail {
		return fmt.Errorf("%s against %s does not fail (%s): its evidence from before the fix would "+
			"show no bug", r.Scenario, r.Variant, r.Verdict)
	}
	expected, err := failuresOf(s)
	if err != nil {
		return err
	}
	var failed []string
	for _, line := range r.Lines() {
		if line.Verdict == check.Fail {
			failed = append(failed, line.Name)
		}
	}
	for _, failure := range expected {
		names := []string{s.ID.Value, s.Name()}
		if slices.Contains(names, failure.Scenario.Value) &&
			!slices.Contains(failed, failure.Check.Value) {
			return fmt.Errorf("%s against %s fails, but not at %q, which the variant says (%s): it "+
				"failed at %q", r.Scenario, r.Variant, failure.Check.Value, failure.At, failed)
		}
	}
	return nil
}

// failuresOf are the checks that the scenario's variant says must fail.
func failuresOf(s *scenario.Scenario) ([]scenario.Failure, error) {
	if own, is := s.Under.Variants.Get(s.Variant.Value); is {
		return own.Fails, nil
	}
	defect, err := variant.LoadDefect(s.Under.DefectsFolder(), s.Variant.Value)
	if err != nil {
		return nil, err
	}
	return defect.Fails, nil
}
