package lab

import (
	"context"
	"errors"
	"fmt"
)

// errShared is why a server can't be crashed: the loader gives such a scenario its own.
var errShared = errors.New("the server is shared with other scenarios")

// Crash kills every process of the database's server. A standby that is not cut off has what was
// acknowledged by then.
func (d *Database) Crash(ctx context.Context) error {
	if d.own == nil {
		return fmt.Errorf("crash database %s: %w", d.Name, errShared)
	}
	if d.standby != nil {
		if err := d.standby.CatchUp(ctx); err != nil {
			return fmt.Errorf("crash database %s: %w", d.Name, err)
		}
	}
	return d.own.Crash(ctx)
}

// Restart starts the database's server again, after an orderly stop when it still runs.
func (d *Database) Restart(ctx context.Context) error {
	if d.own == nil {
		return fmt.Errorf("restart database %s: %w", d.Name, errShared)
	}
	return d.own.Restart(ctx)
}

// addStandby gives the database's server, which nobody uses yet, a standby.
func (d *Database) addStandby(ctx context.Context) error {
	standby, err := d.own.AddStandby(ctx)
	if err != nil {
		return fmt.Errorf("database %s: %w", d.Name, err)
	}
	first := d.own
	d.standby = standby
	d.drop = func(ctx context.Context) error {
		return errors.Join(standby.Close(ctx), first.Close(ctx))
	}
	return nil
}

// errNoStandby is why nothing can take over: the loader sees to one where a step promotes it.
var errNoStandby = errors.New("it has no standby")

// Detach lets the standby of the database's server have nothing from now on.
func (d *Database) Detach(ctx context.Context) error {
	if d.standby == nil {
		return fmt.Errorf("detach the standby of database %s: %w", d.Name, errNoStandby)
	}
	return d.standby.CutOff(ctx)
}

// Promote crashes the database's server, if it still runs, and lets its standby take over: workers
// and facts find the database there from now on.
func (d *Database) Promote(ctx context.Context) error {
	if d.standby == nil {
		return fmt.Errorf("promote the standby of database %s: %w", d.Name, errNoStandby)
	}
	if err := d.standby.Promote(ctx); err != nil {
		return err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.own, d.server, d.standby = d.standby.Server, d.standby.Server, nil
	return nil
}
