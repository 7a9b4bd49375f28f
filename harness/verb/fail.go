package verb

import (
	"context"

	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// fail answers a held turn with an error instead of forwarding it.
func fail(ctx context.Context, on actor, step *scenario.Fail) error {
	return on.Act(ctx, step.Of, gate.Act{Kind: gate.Fail, SQLState: step.SQLState})
}
