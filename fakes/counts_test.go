package fakes_test

import (
	"slices"
	"testing"

	"lostreply/fakes"
	"lostreply/harness/scenario"
)

func TestTheLoaderKnowsWhatAJournalCounts(t *testing.T) {
	var counted []string
	for _, total := range fakes.TableOf(nil).Totals {
		counted = append(counted, total.Name)
	}
	if known := scenario.JournalCounts(); !slices.Equal(counted, known) {
		t.Errorf("a journal counts %v, and the loader knows %v", counted, known)
	}
}
