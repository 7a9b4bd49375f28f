package verb

import (
	"context"

	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// sever closes the connection of a held event, without an answer.
func sever(ctx context.Context, on actor, step *scenario.Sever) error {
	return on.Act(ctx, step.Of, gate.Act{Kind: gate.Sever})
}
