package explore

import (
	"slices"
	"testing"

	"lostreply/harness/event"
	"lostreply/harness/result"
)

// polled is a history of a poller w that looks in vain so often before it finds something.
func polled(inVain int) []event.Event {
	var history []event.Event
	for i := range inVain + 1 {
		look := turn("update task", "", "take")
		look[0].Nth = event.Numbers{{Name: "take", Nth: i + 1}}
		if i < inVain {
			look[1].Idle, look[1].Nth = true, nil
		}
		history = append(history, look...)
	}
	for i := range history {
		history[i].Sequence = i + 1
	}
	return history
}

// TestPollersRepeat takes two recordings of a poller for the same that differ only in how often it
// looked in vain: before it found something, or when it was ended.
func TestPollersRepeat(t *testing.T) {
	t.Parallel()
	w := &workload{pollers: map[string]string{"w": "take"}}
	named := func(history []event.Event) map[string][]string {
		return namedByWorker(result.Result{History: w.atWork(history)})
	}
	first := named(polled(0))
	cut := turn("update task", "", "take")[:1]
	cut[0].Sequence = 99
	for _, other := range [][]event.Event{
		polled(3), slices.Concat(polled(1), cut),
	} {
		if differ := differences(first, named(other)); len(differ) > 0 {
			t.Errorf("two recordings of a poller differ:\n%v", differ)
		}
	}
	if len(first["w.1"]) != 2 {
		t.Errorf("what it found is no part of the recording: %v", first)
	}
}
