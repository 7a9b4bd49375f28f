package verb

import (
	"context"

	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// blackhole keeps the connection of a held event open and silent.
func blackhole(ctx context.Context, on actor, step *scenario.Blackhole) error {
	return on.Act(ctx, step.Of, gate.Act{Kind: gate.BlackHole})
}
