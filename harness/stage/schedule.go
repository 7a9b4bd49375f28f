package stage

import (
	"context"
	"errors"
	"fmt"

	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
)

// Goal is how far a scheduled worker is let go: by one exchange with PostgreSQL or a channel, when
// no event is named; until it is about to send the event; or until the event is done and told.
type Goal struct {
	Before, After string
}

// String says how far, for a reader.
func (g Goal) String() string {
	switch {
	case g.Before != "":
		return "before " + g.Before
	case g.After != "":
		return "after " + g.After
	default:
		return "one exchange"
	}
}

// Proceed lets one scheduled worker go on, to its goal, while all others wait; then it waits until
// each is before its next request, has ended, or waits for a lock. A worker that can't go on, or
// passes its goal by, leaves the scenario inconclusive.
func (s *Stage) Proceed(ctx context.Context, worker string, goal Goal) error {
	ctx, cancel := clock.WithDeadline(ctx, s.scenario.Limit())
	defer cancel()
	locks, err := s.settle(ctx)
	for err == nil {
		own := s.standingOf(worker)
		name := fmt.Sprintf("worker %s, %s", worker, goal)
		switch {
		case own.State == gate.Ended && goal.After == event.ExitName:
			return nil
		case own.State == gate.Ended:
			return s.standstill(locks, "%s: it has ended (%s)", name, own.Event.Label)
		case own.State == gate.Running:
			return s.standstill(locks, "%s: it waits for a lock", name)
		case goal.Before != "" && own.Event.Has(goal.Before):
			return nil
		}
		sent := own.Event
		if err = s.letGo(ctx, own); err == nil {
			locks, err = s.settle(ctx)
		}
		blocked := s.standingOf(worker).State == gate.Running
		if err == nil && (goal == Goal{} || sent.Has(goal.After) && !blocked) {
			return nil
		}
	}
	return err
}

// ProceedToEnds lets scheduled workers go on until each has ended: at each exchange the first of
// them that waits for no lock. Where none can go on, the scenario is inconclusive.
func (s *Stage) ProceedToEnds(ctx context.Context, workers []string) error {
	locks, err := s.settleInTime(ctx)
	for err == nil {
		first, left := s.firstOf(workers)
		switch {
		case first != nil:
			if err = s.letGo(ctx, *first); err == nil {
				locks, err = s.settleInTime(ctx)
			}
		case left == "":
			return nil
		default:
			return s.standstill(locks, "rest of the order: worker %s waits for a lock, and so does "+
				"every other of the rest that has not ended", left)
		}
	}
	return err
}

// firstOf is the first of the workers that waits to be chosen; and, where there is none, one that
// has not ended.
func (s *Stage) firstOf(workers []string) (first *gate.Standing, left string) {
	for _, worker := range workers {
		own := s.standingOf(worker)
		if own.State == gate.Waiting {
			return &own, worker
		}
		if own.State != gate.Ended {
			left = worker
		}
	}
	return nil, left
}

// settleInTime is settle within the scenario's deadline.
func (s *Stage) settleInTime(ctx context.Context) (map[string][]string, error) {
	ctx, cancel := clock.WithDeadline(ctx, s.scenario.Limit())
	defer cancel()
	return s.settle(ctx)
}

// HasSettled tells whether a scheduled worker has come to its end.
func (s *Stage) HasSettled(worker string) bool { return s.standingOf(worker).State == gate.Ended }

// WhereEachStands says where each scheduled worker is, a line each.
func (s *Stage) WhereEachStands() []string { return s.whereEachStands(nil) }

// standingOf is where the current life of a worker is.
func (s *Stage) standingOf(worker string) (own gate.Standing) {
	for _, each := range s.scheduler.Standings() {
		if each.Worker == worker {
			own = each // the latest life comes last
		}
	}
	return own
}

// letGo lets the event of a standing go, and waits until that has been carried out.
func (s *Stage) letGo(ctx context.Context, standing gate.Standing) error {
	s.scheduler.LetGo(standing)
	err := s.gate.Resolve(standing.Hold, gate.Passing())
	if errors.Is(err, gate.ErrResolved) {
		return nil // its worker was killed
	}
	if err != nil {
		return fmt.Errorf("let worker %s go on: %w", standing.Worker, err)
	}
	return carriedOut(ctx, standing.Hold, "release")
}

// settle lets answers go, in the order of their workers' names, until no scheduled worker is on its
// way: each is before a request, has ended, or is stuck behind a lock. It tells who holds them.
func (s *Stage) settle(ctx context.Context) (locks map[string][]string, err error) {
	announced := true
	for {
		moved := s.scheduler.Moved()
		all := s.scheduler.Standings()
		running := map[string]bool{}
		var answer *gate.Standing
		for i, each := range all {
			running[each.Worker] = running[each.Worker] || each.State == gate.Running
			if each.State == gate.Told && answer == nil {
				answer = &all[i]
			}
		}
		quiet := false
		if !announced || !anyOf(running) {
			if locks, err = s.lockHolders(ctx, running); err != nil {
				return nil, s.tooLong(ctx, err)
			}
			quiet = allStuck(running, locks)
		}
		switch {
		case !quiet:
			if announced, err = clock.NextLook(ctx, moved); err != nil {
				return nil, s.tooLong(ctx, err)
			}
		case answer == nil:
			return locks, nil
		default:
			if err := s.letGo(ctx, *answer); err != nil {
				return nil, err
			}
			announced = true
		}
	}
}

func anyOf(set map[string]bool) bool {
	for _, is := range set {
		if is {
			return true
		}
	}
	return false
}

// allStuck tells whether every worker that runs is stuck behind a lock.
func allStuck(running map[string]bool, locks map[string][]string) bool {
	stuck := gate.Stuck(locks, func(worker string) bool { return running[worker] })
	for worker, runs := range running {
		if runs && !stuck[worker] {
			return false
		}
	}
	return true
}

// tooLong is why the scheduled workers did not come to rest.
func (s *Stage) tooLong(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return Inconclusive{
		Reason: fmt.Sprintf("the scheduled workers do not come to rest: %v; only programs that end "+
			"by themselves, and sleep on no timer, can be scheduled", context.Cause(ctx)),
		Seen: s.whereEachStands(nil),
	}
}

func (s *Stage) standstill(locks map[string][]string, format string, arguments ...any) error {
	return Inconclusive{Reason: fmt.Sprintf(format, arguments...), Seen: s.whereEachStands(locks)}
}
