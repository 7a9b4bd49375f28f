package verb

import (
	"context"
	"fmt"

	"lostreply/harness/clock"
	"lostreply/harness/lab"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// servers gives the databases of a stage.
type servers interface {
	Database(named strict.Text) *lab.Database
	Scenario() *scenario.Scenario
	Disconnect(ctx context.Context, named strict.Text) error
}

// database does something to the server of a database, which is the scenario's own.
func database(ctx context.Context, on servers, step *scenario.DatabaseStep) error {
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	if err := on.Disconnect(ctx, step.Name); err != nil {
		return err
	}
	target := on.Database(step.Name)
	switch step.Do {
	case "crash":
		return target.Crash(ctx)
	case "restart":
		return target.Restart(ctx)
	case "detach":
		return target.Detach(ctx)
	case "promote":
		return target.Promote(ctx)
	default:
		return fmt.Errorf("database: nothing is called %q", step.Do)
	}
}
