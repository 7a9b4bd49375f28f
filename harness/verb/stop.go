package verb

import (
	"context"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
)

// stop halts a worker by SIGSTOP.
func stop(ctx context.Context, on workers, step *scenario.Stop) error {
	worker, err := on.Worker(step.Worker.Value)
	if err != nil {
		return err
	}
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	return worker.Stop(ctx)
}
