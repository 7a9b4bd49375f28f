package explore

import (
	"testing"

	"lostreply/harness/event"
)

// TestScheduleIsNamedByItsContent tells schedules apart by what they hold, and by nothing else.
func TestScheduleIsNamedByItsContent(t *testing.T) {
	t.Parallel()
	first := fault{event.Address{
		Worker: "a", Incarnation: 1, Event: "push", Nth: 2, Phase: event.Response,
	}, actLostReply, 2}
	second := fault{event.Address{
		Worker: "recovery-work", Incarnation: 1, Event: "commit", Nth: 1, Phase: event.Request,
	}, actKill, 0}
	single := schedule{faults: []fault{first}, share: 3}
	pair := single.after(second)
	other := single.after(first)
	const want = "lost-reply at a.1 push#2 response, then kill at recovery-work.1 commit#1 request"
	if pair.id() != want {
		t.Errorf("id %q, want %q", pair.id(), want)
	}
	if pair.share != 3 || other.id() == pair.id() || single.id() == pair.id() {
		t.Errorf("share %d, want 3; ids %q, %q, %q, want three", pair.share, single.id(), pair.id(),
			other.id())
	}
	moved := pair
	moved.share = 8
	if moved.id() != pair.id() {
		t.Errorf("the share is part of the id: %q", moved.id())
	}
}
