package gate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"lostreply/harness/event"
	"lostreply/harness/gate"
)

// arriving lets an event of a worker reach the gate, and returns once it is there.
func arriving(t *testing.T, g *gate.Gate, s *gate.Scheduler, worker string, phase event.Phase) {
	t.Helper()
	moved := s.Moved()
	go func() {
		_, act, _ := g.Arrive(t.Context(), event.Event{
			Worker: worker, Incarnation: 1, Kind: event.Turn, Phase: phase, Label: "select 1",
			Names: []string{"look"}, Idle: phase == event.Response,
		})
		act.Carried()
	}()
	<-moved
}

// letAllGo lets what waits go in the order of the standings.
func letAllGo(t *testing.T, g *gate.Gate, s *gate.Scheduler) {
	t.Helper()
	for _, standing := range s.Standings() {
		if standing.Hold == nil {
			continue
		}
		s.LetGo(standing)
		if err := g.Resolve(standing.Hold, gate.Passing()); err != nil {
			t.Fatal(err)
		}
		<-standing.Hold.Carried()
	}
}

func TestTheHistoryOfAScheduleIsThatOfTheChoices(t *testing.T) {
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		s := gate.NewScheduler(gate.NewBreakpoints())
		g := gate.New(s)
		for _, worker := range order {
			s.Schedule(worker, 1)
		}
		for _, phase := range event.Phases() {
			for _, worker := range order { // as the machine has it
				arriving(t, g, s, worker, phase)
			}
			letAllGo(t, g, s)
		}
		var lines []string
		for _, e := range g.History() {
			lines = append(lines, e.Worker+" "+string(e.Phase))
		}
		got := strings.Join(lines, ", ")
		if got != "a request, b request, a response, b response" {
			t.Errorf("arrived as %v: the history is %s", order, got)
		}
	}
}

func TestWhoIsNotScheduledIsLeftToTheOthers(t *testing.T) {
	s := gate.NewScheduler(gate.NewBreakpoints())
	g := gate.New(s)
	s.Schedule("a", 1)
	_, act, err := g.Arrive(t.Context(), event.Event{Worker: "b", Incarnation: 1, Kind: event.Turn})
	if act.Kind != gate.Pass || err != nil || len(g.History()) != 1 {
		t.Errorf("%v, %v, history %v", act.Kind, err, g.History())
	}
}

func TestWhatNobodyChoseIsInTheHistoryWhenItIsAbandoned(t *testing.T) {
	s := gate.NewScheduler(gate.NewBreakpoints())
	g := gate.New(s)
	s.Schedule("a", 1)
	arriving(t, g, s, "a", event.Request)
	if history := g.History(); len(history) != 0 {
		t.Fatalf("recorded before it was let go: %v", history)
	}
	g.MarkDead("a", 1)
	if history := g.History(); len(history) != 1 || history[0].Sequence != 1 {
		t.Errorf("history %v", history)
	}
}

func TestStuck(t *testing.T) {
	for _, c := range []struct {
		what     string
		blockers map[string][]string
		running  string
		stuck    string
	}{
		{"behind one that waits to be chosen", map[string][]string{"b": {"a"}}, "b", "b"},
		{"behind one that runs", map[string][]string{"b": {"a"}}, "a b", ""},
		{"in a queue behind one that waits", map[string][]string{"b": {"a"}, "c": {"b"}}, "b c", "b c"},
		{"in a queue behind one that runs", map[string][]string{"b": {"a"}, "c": {"b"}}, "a b c", ""},
		{"behind somebody else's session", map[string][]string{"a": {""}}, "a", "a"},
		{"in a deadlock", map[string][]string{"a": {"b"}, "b": {"a"}}, "a b", ""},
		{"nowhere", nil, "a", ""},
	} {
		running := strings.Fields(c.running)
		got := gate.Stuck(c.blockers, func(worker string) bool {
			return slices.Contains(running, worker)
		})
		if names := strings.Join(slices.Sorted(maps.Keys(got)), " "); names != c.stuck {
			t.Errorf("%s: stuck are %q, expected %q", c.what, names, c.stuck)
		}
	}
}
