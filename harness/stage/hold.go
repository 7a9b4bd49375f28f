package stage

import (
	"context"
	"fmt"

	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// AwaitHold waits until a hold has stopped its event, and says which event it was. A worker that
// ends first, or a deadline that passes, leaves the scenario inconclusive: the fault did not fire.
func (s *Stage) AwaitHold(ctx context.Context, hold *scenario.Hold) (event.Event, error) {
	worker, err := s.Worker(hold.Worker.Value)
	if err != nil {
		return event.Event{}, err
	}
	ctx, cancel := clock.WithDeadline(ctx, s.scenario.Limit())
	defer cancel()
	stopped := s.holds[hold]
	ended := worker.Drained()
	if hold.Event.Value == event.ExitName {
		ended = nil // the end is what is waited for
	}
	select {
	case <-stopped.Reached():
		return stopped.Event(), nil
	case <-stopped.Missed():
	case <-ended:
	case <-ctx.Done():
	}
	select {
	case <-stopped.Reached(): // it came just before the end
		return stopped.Event(), nil
	default:
	}
	missed := Inconclusive{
		Reason: fmt.Sprintf("hold not reached: %s; %s", s.named[hold],
			whyNotReached(ctx, stopped, worker)),
		Seen: append(s.seenInstead(s.named[hold]), worker.LastLines()...),
	}
	if hold.Event.Value == event.ExitName && !worker.HasEnded() {
		missed.Hung = worker.Name
	}
	return event.Event{}, missed
}

func whyNotReached(ctx context.Context, hold *gate.Hold, worker *Worker) string {
	select {
	case <-hold.Missed():
		return "another hold stopped this event, by another of its names: keep one of the two"
	default:
	}
	if worker.HasEnded() {
		return fmt.Sprintf("worker %s ended by itself (%s)", worker.Name, worker.Ending())
	}
	return fmt.Sprintf("worker %s still runs; %v", worker.Name, context.Cause(ctx))
}

// seenInstead lists the events of a worker that did come, the nearest to the wanted one marked.
func (s *Stage) seenInstead(wanted event.Address) []string {
	var came []event.Address
	for _, e := range s.gate.History() {
		if e.Worker == wanted.Worker && e.Incarnation == wanted.Incarnation {
			came = append(came, e.Addresses()...)
		}
	}
	if len(came) == 0 {
		return []string{fmt.Sprintf("no event of worker %s came", wanted.Worker)}
	}
	nearest := event.Nearest(wanted, came)
	lines := []string{fmt.Sprintf("events of worker %s that came:", wanted.Worker)}
	for i, address := range came {
		mark := ""
		if i == nearest {
			mark = "   <- the nearest"
		}
		lines = append(lines, "  "+address.String()+mark)
	}
	return lines
}

// Act does one act on a held event, and returns when it has been carried out: what comes of it is
// there for the next step. When the event's worker has ended already, its calls are waited for too:
// a request that arrived late is in the journal when the next step looks.
func (s *Stage) Act(ctx context.Context, hold *scenario.Hold, act gate.Act) error {
	ctx, cancel := clock.WithDeadline(ctx, s.scenario.Limit())
	defer cancel()
	address := s.named[hold]
	name := string(act.Kind)
	if act.Kind == gate.Pass {
		name = "release"
	}
	if err := s.gate.Resolve(s.holds[hold], act); err != nil {
		return Inconclusive{Reason: fmt.Sprintf("%s %s: %v", name, address, err)}
	}
	err := carriedOut(ctx, s.holds[hold], name)
	if err != nil && !(act.Kind == gate.Pass && s.scenario.NeedsOwnServer()) {
		return err // where the scenario crashes the server, a held turn may have ended with it
	}
	for _, worker := range s.Workers() {
		if worker.Name == address.Worker && worker.Incarnation == address.Incarnation &&
			worker.HasEnded() {
			return worker.settle(ctx)
		}
	}
	return nil
}

// carriedOut waits until the act on a held event has been carried out.
func carriedOut(ctx context.Context, hold *gate.Hold, act string) error {
	select {
	case <-hold.Carried():
	case <-ctx.Done():
		return Inconclusive{Reason: fmt.Sprintf("%s was not carried out on %s: %v", act, hold.Event(),
			context.Cause(ctx))}
	}
	if err := hold.Failure(); err != nil {
		return Inconclusive{Reason: fmt.Sprintf("%s was not carried out on %s: %v", act, hold.Event(),
			err)}
	}
	return nil
}
