package verb

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// controls gives the harness's own connections.
type controls interface {
	Control(ctx context.Context, database strict.Text) (*pgx.Conn, error)
}

// clocks are moved, and whoever looks at what workers send is told.
type clocks interface {
	controls
	Advanced(database strict.Text, by time.Duration)
}

// advance moves the clock of one database forward.
func advance(ctx context.Context, on clocks, step *scenario.Advance) error {
	on.Advanced(step.Database, step.By)
	connection, err := on.Control(ctx, step.Database)
	if err != nil {
		return err
	}
	if err := clock.Advance(ctx, connection, step.By); err != nil {
		return fmt.Errorf("advance by %s: %w", step.By, err)
	}
	return nil
}
