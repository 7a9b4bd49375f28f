package verb

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// controls gives the harness's own connections.
type controls interface {
	Control(ctx context.Context, database strict.Text) (*pgx.Conn, error)
}

// advance moves the clock of one database forward.
func advance(ctx context.Context, on controls, step *scenario.Advance) error {
	connection, err := on.Control(ctx, step.Database)
	if err != nil {
		return err
	}
	if err := clock.Advance(ctx, connection, step.By); err != nil {
		return fmt.Errorf("advance by %s: %w", step.By, err)
	}
	return nil
}
