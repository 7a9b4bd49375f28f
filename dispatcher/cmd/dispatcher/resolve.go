package main

import (
	"context"
	"fmt"

	"lostreply/dispatcher"
)

func (p program) resolve(ctx context.Context, arguments []string) error {
	set := p.flags("resolve")
	task := set.Int64("task", 0, "id of the parked task")
	state := set.String("state", "", "what it turned out to be: SENT or FAILED")
	note := set.String("note", "", "how that was found out")
	name := set.String("name", p.workerName(), "who says so")
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if *task == 0 {
		return fmt.Errorf("%w: resolve: --task is needed", errUsage)
	}
	session, err := p.session()
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	settings := dispatcher.Settings{Name: *name, Lease: defaultLease, Timeout: defaultTimeout}
	worker, err := dispatcher.New(session, nil, settings)
	if err != nil {
		return err
	}
	rows, err := worker.ResolveManually(ctx, *task, dispatcher.State(*state), *note)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.output, "RESOLVED rows=%d\n", rows)
	return err
}
