package run

import (
	"fmt"
	"slices"
	"testing"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// calling is a scenario whose worker is given a timeout, and whose channel answers or not.
func calling(timeout string, silence string) *scenario.Scenario {
	s := &scenario.Scenario{Steps: []scenario.Step{{Body: &scenario.Run{
		Args: strict.Map[strict.Value]{Entries: []strict.Entry[strict.Value]{
			{Name: "timeout", Value: strict.Value{Source: timeout}}}},
	}}}}
	s.Channels.Entries = []strict.Entry[[]scenario.Entry]{
		{Name: "push", Value: []scenario.Entry{{Request: 1, Reply: &scenario.Reply{Silence: silence}}}},
	}
	return s
}

func TestWhatSitsOutTimeoutsBeginsEarlyAndNotAllAtOnce(t *testing.T) {
	scenarios := []*scenario.Scenario{
		calling("10s", scenario.Hang), calling("400ms", ""), calling("400ms", scenario.Hang),
		calling("10s", scenario.Hang), calling("1500ms", scenario.Hang), calling("10s", ""),
		calling("400ms", scenario.Hang),
	}
	for _, test := range []struct {
		parallel int
		want     []int
	}{
		{parallel: 1, want: []int{0, 1, 2, 3, 4, 5, 6}},
		{parallel: 2, want: []int{4, 0, 1, 3, 5, 2, 6}},
		{parallel: 4, want: []int{4, 2, 0, 1, 3, 5, 6}},
	} {
		t.Run(fmt.Sprint(test.parallel), func(t *testing.T) {
			var begun []int
			begins := newOrder(scenarios, test.parallel)
			for range scenarios { // none ends
				place, _ := begins.next()
				begun = append(begun, place)
			}
			if !slices.Equal(begun, test.want) {
				t.Errorf("they begin as %v, not as %v", begun, test.want)
			}
		})
	}
}

func TestTheNextThatSitsOutATimeoutTakesThePlaceOfOneThatHasEnded(t *testing.T) {
	begins := newOrder([]*scenario.Scenario{
		calling("10s", ""), calling("10s", ""),
		calling("1s", scenario.Hang), calling("1s", scenario.Hang),
	}, 2)
	first, ended := begins.next()
	ended()
	second, _ := begins.next()
	third, _ := begins.next()
	if got := []int{first, second, third}; !slices.Equal(got, []int{2, 3, 0}) {
		t.Errorf("they begin as %v", got)
	}
}
