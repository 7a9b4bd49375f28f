package stage

import (
	"context"
	"fmt"

	"lostreply/harness/clock"
	"lostreply/harness/event"
)

// AwaitIdle waits until a worker has looked for work by a named event and found none: it has asked
// after the call, so that it looked at what was there then. A worker that ends first, or a deadline
// that passes, leaves the scenario inconclusive.
func (s *Stage) AwaitIdle(ctx context.Context, worker *Worker, name string) error {
	ctx, cancel := clock.WithDeadline(ctx, s.scenario.Limit())
	defer cancel()
	asked := false // under the gate's lock
	came := s.gate.Watch(func(e event.Event) bool {
		if e.Worker != worker.Name || e.Incarnation != worker.Incarnation || !e.Has(name) {
			return false
		}
		if e.Phase == event.Request {
			asked = true
			return false
		}
		return asked && e.Idle
	})
	select {
	case <-came:
		return nil
	case <-worker.Drained():
		return Inconclusive{Reason: fmt.Sprintf("worker %s ended by itself (%s) before its %s found "+
			"nothing", worker.Name, worker.Ending(), name), Seen: worker.LastLines()}
	case <-ctx.Done():
		return Inconclusive{Reason: fmt.Sprintf("no %s of worker %s has found nothing: %v", name,
			worker.Name, context.Cause(ctx)), Seen: worker.LastLines()}
	}
}
