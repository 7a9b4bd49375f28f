package run

import (
	"fmt"
	"slices"

	"lostreply/harness/check"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// expectFailures judges the twin of a scenario for a variant: the checks that the variant says must
// fail are its witnesses, and pass by failing. Every other check counts as ever, so that a variant
// that fails elsewhere, or not at all, is no pass.
func expectFailures(r *result.Result, s *scenario.Scenario) {
	if len(s.Failing) == 0 {
		return
	}
	seen := map[string]bool{}
	for i, entry := range r.Entries {
		line := &r.Entries[i].Line
		if entry.Kind != result.Check || !slices.Contains(s.Failing, line.Name) {
			continue
		}
		seen[line.Name] = true
		line.Exposes = fmt.Sprintf("%s fails at %s", s.Variant.Value, line.Name)
		switch line.Verdict {
		case check.Fail:
			line.Verdict = check.Pass
		case check.Pass:
			line.Verdict = check.Fail
			line.Why = "the variant says that this check must fail, and it holds"
		}
	}
	for _, name := range s.Failing {
		if !seen[name] && !troubled(r) {
			r.Entries = append(r.Entries, result.Entry{
				Kind: result.Trouble, At: at(s.Variant.At),
				Text: fmt.Sprintf("variant %s must fail at a check %q, and no check is called so",
					s.Variant.Value, name),
			})
		}
	}
}
