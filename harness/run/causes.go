package run

import (
	"slices"

	"lostreply/harness/check"
	"lostreply/harness/result"
)

// causesFirst puts calls that were answered with an error (nobody scripted them, or they broke the
// contract) before the first entry that did not pass: what that tells is likely to follow from
// them.
func causesFirst(entries, calls []result.Entry) []result.Entry {
	first := slices.IndexFunc(entries, func(e result.Entry) bool {
		return e.Kind == result.Trouble || e.Kind == result.Check && e.Line.Verdict != check.Pass
	})
	if first < 0 {
		return append(entries, calls...)
	}
	for i := range calls {
		calls[i].After = entries[first].After
	}
	return slices.Insert(entries, first, calls...)
}
