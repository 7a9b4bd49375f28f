package verb

import (
	"context"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
)

// resume lets a stopped worker run on.
func resume(ctx context.Context, on workers, step *scenario.Continue) error {
	worker, err := on.Worker(step.Worker.Value)
	if err != nil {
		return err
	}
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	return worker.Continue(ctx)
}
