package gate_test

import (
	"context"
	"errors"
	"testing"

	"lostreply/harness/event"
	"lostreply/harness/gate"
)

// arrived is what an edge was told.
type arrived struct {
	act gate.Act
	err error
}

// heldCommit is a commit of worker a that is held, and the edge that waits with it.
func heldCommit(t *testing.T, ctx context.Context) (*gate.Gate, *gate.Hold, <-chan arrived) {
	t.Helper()
	breakpoints := gate.NewBreakpoints()
	hold, err := breakpoints.Arm(event.Address{
		Worker: "a", Incarnation: 1, Event: event.CommitName, Nth: 1, Phase: event.Request,
	})
	if err != nil {
		t.Fatal(err)
	}
	g := gate.New(breakpoints)
	edge := make(chan arrived, 1)
	go func() {
		_, act, err := g.Arrive(ctx, event.Event{
			Worker: "a", Incarnation: 1, Kind: event.Turn, Phase: event.Request,
			Names: []string{event.CommitName},
		})
		edge <- arrived{act, err}
	}()
	<-hold.Reached()
	return g, hold, edge
}

func isCarried(hold *gate.Hold) bool {
	select {
	case <-hold.Carried():
		return true
	default:
		return false
	}
}

func TestAnActIsCarriedOutWhenItsEdgeSaysSo(t *testing.T) {
	g, hold, edge := heldCommit(t, t.Context())
	if err := g.Resolve(hold, gate.Act{Kind: gate.Sever}); err != nil {
		t.Fatal(err)
	}
	told := <-edge
	if told.err != nil || told.act.Kind != gate.Sever {
		t.Fatalf("the edge was told %v, %v", told.act.Kind, told.err)
	}
	if isCarried(hold) {
		t.Fatal("carried out before the edge has said so")
	}
	told.act.Carried()
	told.act.Lost(errors.New("too late"))
	if !isCarried(hold) || hold.Failure() != nil {
		t.Errorf("carried %t, failure %v", isCarried(hold), hold.Failure())
	}
	gate.Passing().Carried() // of an event that nothing held: nothing happens
}

func TestAnActOnWhatHasEndedIsLost(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	g, hold, edge := heldCommit(t, ctx)
	leave()
	if told := <-edge; told.act.Kind != gate.Abandon {
		t.Errorf("the edge was told %q", told.act.Kind)
	}
	if err := g.Resolve(hold, gate.Passing()); err != nil {
		t.Fatal(err)
	}
	if !isCarried(hold) || !errors.Is(hold.Failure(), gate.ErrLost) {
		t.Errorf("carried %t, failure %v", isCarried(hold), hold.Failure())
	}
}

func TestAWatchEndsWithTheNextEventThatMatches(t *testing.T) {
	g := gate.New(gate.NewBreakpoints())
	came := g.Watch(func(e event.Event) bool { return e.Has("push") && e.Phase == event.Response })
	for _, phase := range event.Phases() {
		select {
		case <-came:
			t.Fatalf("ended before the %s", phase)
		default:
		}
		_, _, _ = g.Arrive(t.Context(), event.Event{
			Worker: "a", Incarnation: 1, Kind: event.Call, Phase: phase, Names: []string{"push"},
		})
	}
	select {
	case <-came:
	default:
		t.Error("the event came, and the watch goes on")
	}
}
