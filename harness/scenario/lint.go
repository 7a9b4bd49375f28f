package scenario

import (
	"fmt"

	"lostreply/harness/strict"
)

// Lint finds what is valid but likely to be meant otherwise.
func Lint(s *Scenario) strict.Problems {
	if len(s.Failing) > 0 {
		return nil // the one that it is the twin of says it
	}
	var warnings Problems
	for _, channel := range s.Channels.Entries {
		for _, entry := range channel.Value {
			if entry.Reply != nil && entry.Reply.Answer.AfterMilli > 0 {
				warnings.Addf(entry.Reply.At, "channel %s: a delayed reply races the caller's timeout; "+
					"reply: hang never does", channel.Name)
			}
		}
	}
	for _, step := range s.AllSteps() {
		check, ok := step.Body.(*Check)
		if !ok {
			continue
		}
		if expectsNothing(&check.Comparison) && check.Of.Value == "" && check.Subject.Fact.Value != "" {
			warnings.Addf(check.At, "no row is expected of fact %s: say with of: which rows must exist, "+
				"or the check holds for an empty database too", check.Subject.Fact.Value)
		}
	}
	return warnings.list.Sorted()
}

// expectsNothing tells whether a comparison holds when there is nothing.
func expectsNothing(comparison *Comparison) bool {
	switch {
	case comparison.Count != nil:
		return fmt.Sprint(comparison.Count.Data) == "0"
	case comparison.Rows != nil:
		list, _ := comparison.Rows.Data.([]strict.Value)
		return len(list) == 0
	case comparison.Column != nil:
		return len(*comparison.Column) == 0
	case comparison.Set != nil:
		return len(*comparison.Set) == 0
	default:
		return false
	}
}
