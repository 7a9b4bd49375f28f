package verb

import (
	"context"

	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// actor does an act on a held event.
type actor interface {
	Act(ctx context.Context, hold *scenario.Hold, act gate.Act) error
}
