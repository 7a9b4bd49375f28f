package verb

import (
	"context"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
)

// workers finds workers, and bounds what is waited for of them.
type workers interface {
	Worker(name string) (*stage.Worker, error)
	Scenario() *scenario.Scenario
}

// kill ends a worker by SIGKILL; a worker that has ended by itself leaves the scenario
// inconclusive.
func kill(ctx context.Context, on workers, step *scenario.Kill) error {
	worker, err := on.Worker(step.Worker.Value)
	if err != nil {
		return err
	}
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	return worker.Kill(ctx)
}
