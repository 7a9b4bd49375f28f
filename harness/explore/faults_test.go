package explore

import (
	"slices"
	"strings"
	"testing"

	"lostreply/harness/event"
)

// turn is both phases of a turn of worker w on database main. A name is followed by its number; the
// status is what the server gave, such as (T>I), or nothing for a turn outside any transaction.
func turn(label, status string, names ...string) []event.Event {
	asked := event.Event{
		Worker: "w", Incarnation: 1, Kind: event.Turn, Phase: event.Request, Label: label,
		Detail: "main", Names: names,
	}
	for _, name := range names {
		asked.Nth = append(asked.Nth, event.Number{Name: name, Nth: 1})
	}
	told := asked
	told.Phase = event.Response
	told.Detail = strings.TrimSpace("main TAG 1 " + status)
	return []event.Event{asked, told}
}

func call(name string) []event.Event {
	e := event.Event{
		Worker: "w", Incarnation: 1, Kind: event.Call, Phase: event.Request, Label: "POST /send",
		Names: []string{name}, Nth: event.Numbers{{Name: name, Nth: 1}},
	}
	told := e
	told.Phase = event.Response
	return []event.Event{e, told}
}

// planned are the schedules of a first batch, a line each.
func planned(p planner) (string, int) {
	var all []string
	for _, each := range p.next(nil) {
		all = append(all, each.String())
	}
	return strings.Join(all, "\n"), len(all)
}

// TestSingles leaves out what can't make a difference, and counts it.
func TestSingles(t *testing.T) {
	t.Parallel()
	history := slices.Concat(
		turn("begin", "(I>T)"), turn("update task", "(T>T)", "claim"),
		turn("commit", "(T>I)", "commit"),
		call("push"),
		turn("begin", "(I>T)"), turn("select task", "(T>T)", "look"),
		turn("rollback", "(T>I)"),
		turn("select task", "", "look"),
		turn("insert log", ""),
		turn("delete log", "", "clear"),
	)
	p := newFaults(placesOf(history), Options{})
	want := `kill at w.1 commit#1 request
sever at w.1 commit#1 request
fail-40001 at w.1 commit#1 request
kill at w.1 commit#1 response
sever at w.1 commit#1 response
stop at w.1 commit#1 response
hang-up at w.1 push#1 request
503 at w.1 push#1 request
delay at w.1 push#1 request
kill at w.1 push#1 response
lost-reply at w.1 push#1 response
503 at w.1 push#1 response
stop at w.1 push#1 response
kill at w.1 clear#1 request
sever at w.1 clear#1 request
fail-40001 at w.1 clear#1 request
delay at w.1 clear#1 request
kill at w.1 clear#1 response
sever at w.1 clear#1 response
stop at w.1 clear#1 response`
	if got, _ := planned(p); got != want {
		t.Errorf("planned:\n%s\nwant:\n%s", got, want)
	}
	if p.total != 120 || p.pruned != 94 {
		t.Errorf("total %d, pruned %d; want 120 and 94", p.total, p.pruned)
	}
	if got := strings.Join(p.unnamed, ", "); got != "w.1 insert log" {
		t.Errorf("unnamed %q, want the insert", got)
	}
	full := newFaults(placesOf(history), Options{Full: true})
	_, tried := planned(full)
	if full.pruned != 0 || tried != 72 || len(full.unnamed) != 4 {
		t.Errorf("full: %d schedules, pruned %d, unnamed %v; want 72, 0 and the 4 without a name",
			tried, full.pruned, full.unnamed)
	}
}

// TestWrittenByAnother shows that a transaction that wrote on one database says nothing of one that
// only read on another.
func TestWrittenByAnother(t *testing.T) {
	t.Parallel()
	other := turn("commit", "(T>I)", "commit")
	for i := range other {
		other[i].Detail = strings.Replace(other[i].Detail, "main", "other", 1)
	}
	p := newFaults(placesOf(slices.Concat(turn("update task", "(T>T)", "claim"), other,
		turn("commit", "(T>I)", "commit"))), Options{})
	if got, tried := planned(p); tried != 6 || p.pruned != 30 {
		t.Errorf("%d schedules, pruned %d; want the 6 of the commit on main:\n%s", tried,
			p.pruned, got)
	}
}

// TestIdleIsNoPlace leaves the answer of a poller's empty turn out: it can't be held.
func TestIdleIsNoPlace(t *testing.T) {
	t.Parallel()
	history := turn("update task", "", "claim")
	history[1].Idle = true
	p := newFaults(placesOf(history), Options{Full: true})
	if _, tried := planned(p); tried != 7 || p.total != 7 {
		t.Errorf("%d schedules of %d, want the 7 at its request", tried, p.total)
	}
}

// TestRecovered tells a recovery that wrote from one that only looked.
func TestRecovered(t *testing.T) {
	t.Parallel()
	f := schedule{faults: []fault{{address: event.Address{Worker: "w", Incarnation: 1}}}}
	by := func(name string, life int, history []event.Event) []event.Event {
		for i := range history {
			history[i].Worker, history[i].Incarnation = name, life
		}
		return history
	}
	for _, each := range []struct {
		of      string
		history []event.Event
		want    bool
	}{
		{"the faulted life", turn("update task", ""), false},
		{"its next life", by("w", 2, turn("update task", "")), true},
		{"a recovery", by("recovery-work", 1, turn("update task", "")), true},
		{"a recovery that looks", by("recovery-work", 1, turn("select task", "")), false},
		{"another worker", by("x", 1, turn("update task", "")), false},
	} {
		if got := recovered(f, each.history); got != each.want {
			t.Errorf("what %s did counts as recovery: %t, want %t", each.of, got, each.want)
		}
	}
}

// TestDifferences shows what two recordings do not share.
func TestDifferences(t *testing.T) {
	t.Parallel()
	same := map[string][]string{"w.1": {"a", "b"}}
	if got := differences(same, map[string][]string{"w.1": {"a", "b"}}); len(got) > 0 {
		t.Errorf("two equal recordings differ: %v", got)
	}
	got := differences(same, map[string][]string{"w.1": {"a", "c", "b"}, "x.1": {"d"}})
	if want := []string{"+ c", "+ d"}; !slices.Equal(got, want) {
		t.Errorf("differences %v, want %v", got, want)
	}
}
