package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lostreply/harness/event"
	"lostreply/harness/scenario"
)

// effective is a turn whose statements can do at most what effect says.
func effective(effect event.Effect, label, status string) []event.Event {
	events := turn(label, status)
	events[0].Effect = effect
	return events
}

// TestEffectsOfATransaction follows transactions: what is written in one is seen at its end, and
// one that only read is seen by nobody.
func TestEffectsOfATransaction(t *testing.T) {
	t.Parallel()
	history := slices.Concat(
		effective(event.Begins, "begin", "(I>T)"), effective(event.Reads, "select task", "(T>T)"),
		effective(event.Anything, "commit", "(T>I)"),
		effective(event.Begins, "begin", "(I>T)"), effective(event.Changes, "update task", "(T>T)"),
		effective(event.Anything, "commit", "(T>I)"),
		effective(event.Changes, "insert task", ""),
		effective(event.Anything, "lock task", ""),
		call("sms"),
		effective(event.Reads, "select task", ""),
	)
	g := &group{
		lives: []scenario.Life{{Worker: "w", Incarnation: 1}}, channels: []string{"push", "sms"},
	}
	var lines []string
	for _, step := range stepsOf(history, g) {
		line := step.Label
		for _, access := range step.Accesses {
			line += fmt.Sprintf(" | %s %d", access.Place, access.Effect)
		}
		lines = append(lines, line)
	}
	want := `begin | database main 1
select task | database main 2
commit | database main 5
begin | database main 1
update task | database main 3
commit | database main 4
insert task | database main 4
lock task | database main 0 | journal sms 0
POST /send | channel sms 0
select task | database main 2 | database main 0`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("the steps are\n%s\nwant\n%s", got, want)
	}
}

// TestAnswersThatWait notes with which step the answer of one came that waited for a lock.
func TestAnswersThatWait(t *testing.T) {
	t.Parallel()
	by := func(worker string, events []event.Event) []event.Event {
		for i := range events {
			events[i].Worker = worker
		}
		return events
	}
	update := by("b", effective(event.Changes, "update task", ""))
	commit := by("a", effective(event.Anything, "commit", "(T>I)"))
	history := []event.Event{update[0], commit[0], commit[1], update[1]}
	g := &group{lives: []scenario.Life{{Worker: "a", Incarnation: 1}, {Worker: "b", Incarnation: 1}}}
	steps := stepsOf(history, g)
	if len(steps) != 2 || steps[0].Answered != 1 || steps[1].Answered != 1 {
		t.Errorf("steps %+v, want both answered with the second", steps)
	}
	cut := stepsOf(history[:3], g)
	if cut[0].Answered < len(cut) {
		t.Errorf("a step that was never answered is answered at %d", cut[0].Answered)
	}
}
