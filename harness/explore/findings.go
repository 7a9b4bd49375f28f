package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// Finding is something that goes wrong, and the first run that shows it.
type Finding struct {
	// Scenario, Check, Act and Event tell one finding from another.
	Scenario, Check, Act, Event string
	// Witness is the line of the check that does not hold.
	Witness string
	// Liveness tells that something does not come, rather than that something is wrong.
	Liveness bool
	// At is where the faults are, and Also how many others of the same acts and events come to the
	// same.
	At   string
	Also int
	// File is the scenario that shows it.
	File string
}

// Key names a finding: what went wrong, and where, in one line.
func (f Finding) Key() string {
	return fmt.Sprintf("%s: %s | %s | %s", f.Scenario, f.Check, f.Act, f.Event)
}

// writeDown writes a scenario for each outcome that shows something new.
func (c *campaign) writeDown(ctx context.Context, shows []outcome) error {
	c.baselines = &baselines{known: map[string]*baseline{}}
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(c.options.Parallel, 1))
	for _, each := range shows {
		group.Go(func() error {
			name := each.schedule.name(c.workload.scenario.FileName())
			source, known := c.keeper.written(each.ID)
			if !known {
				var err error
				if source, err = c.shown(running, each, name); err == nil {
					err = c.keeper.write(each.ID, source)
				}
				if err != nil {
					return err
				}
			}
			return c.write(c.fileOf(name+".yaml"), source)
		})
	}
	return group.Wait()
}

// shown is the scenario that shows an outcome.
func (c *campaign) shown(ctx context.Context, o outcome, name string) ([]byte, error) {
	if c.lab == nil {
		return nil, c.missing(o.schedule)
	}
	least := shrunk{campaign: c, schedule: o.schedule, rounds: o.Rounds, witnesses: o.Witnesses}
	if c.options.Shrink && o.shrinks() {
		var err error
		if least, err = c.shrink(ctx, o); err != nil {
			return nil, err
		}
	}
	title := fmt.Sprintf("%s; then %s", least.schedule.story(), least.witnesses[0].Statement)
	return least.compose(least.schedule, name, title, least.rounds, o.Hung)
}

// write writes a finding, and beside it a link to the system file that it needs.
func (c *campaign) write(file string, source []byte) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	system, err := filepath.Abs(c.workload.scenario.Under.File)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	target, err := filepath.Rel(from, system)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	err = os.Symlink(target, filepath.Join(folder, "system.yaml"))
	if err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("write a finding: its system file: %w", err)
	}
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	return nil
}
