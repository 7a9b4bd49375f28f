package explore

import (
	"strings"
	"testing"

	"lostreply/harness/explore/interleaving"
	"lostreply/harness/scenario"
)

// TestOrderAsAStep says how far each goes by an event's name where that is sure to mean the same,
// and by a number of exchanges elsewhere.
func TestOrderAsAStep(t *testing.T) {
	t.Parallel()
	step := func(worker string, answered int, events ...string) interleaving.Step {
		return interleaving.Step{
			Worker: worker, Label: "label", Events: events, Answered: answered,
		}
	}
	tried := &order{
		group: &group{number: 2, lives: []scenario.Life{{Worker: "a", Incarnation: 1},
			{Worker: "b", Incarnation: 2}}},
		Order: interleaving.Order{
			Prefix: []interleaving.Step{
				step("a", 0), step("a", 1, "commit", "claim"), // until its claim
				step("b", 2, "look"), step("b", 3, "look"), // the second look
				step("a", 5, "finish"), // waited for a lock
				step("b", 5, "commit"), // until its commit
				step("a", interleaving.Unknown, "look"),
			},
			Rest: []string{"a", "b"},
		},
	}
	source, err := written(tried.step())
	if err != nil {
		t.Fatal(err)
	}
	const want = "schedule: {order: [{worker: a, after: claim}, b, b, a, " +
		"{worker: b, after: commit}, a], rest: [a, b]}"
	if got := strings.TrimSpace(string(source)); got != want {
		t.Errorf("the step is\n%s\nwant\n%s", got, want)
	}
	for got, want := range map[string]string{
		tried.String(): "order of a.1, b.2: a a b b a b a, then a b",
		tried.name():   "-order2-a-2-b-2-a-1-b-1-a-1",
		tried.story(): "a, b take turns: a until its claim is done, b by 2 exchanges (the last: " +
			"label), a by one exchange (label), b until its commit is done, a by one exchange (label), " +
			"and a, b to the end",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for range 12 {
		tried.Prefix = append(tried.Prefix, step("b", 9), step("a", 9))
	}
	if name := tried.name(); len(name) > longestName || !strings.HasPrefix(name, "-order-") {
		t.Errorf("a long order is called %q", name)
	}
}
