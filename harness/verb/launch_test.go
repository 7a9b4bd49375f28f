package verb

import (
	"slices"
	"testing"

	"lostreply/harness/process"
)

// TestClaimsDoNotDependOnTheStreamThatWasReadFirst makes sure that two readings of one output, of
// which each stream is in order, give the same lines in the same order.
func TestClaimsDoNotDependOnTheStreamThatWasReadFirst(t *testing.T) {
	out := func(text string) process.Line { return process.Line{Stream: process.Stdout, Text: text} }
	failed := process.Line{Stream: process.Stderr, Text: "failed"}
	want := []string{"one", "two", "failed"}
	for _, read := range [][]process.Line{
		{out("one"), out("two"), failed}, {out("one"), failed, out("two")},
		{failed, out("one"), out("two")},
	} {
		if got := texts(read); !slices.Equal(got, want) {
			t.Errorf("%v gives %q, want %q", read, got, want)
		}
	}
}
