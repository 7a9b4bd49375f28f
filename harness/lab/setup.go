package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/launch"
	"lostreply/harness/postgres"
	"lostreply/harness/process"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
	"lostreply/harness/wire"
)

// nobody holds no event: a set-up is no part of a scenario.
type nobody struct{}

// Decide lets every event pass.
func (nobody) Decide(event.Event) *gate.Hold { return nil }

// setUp runs one of the system's own programs on a database that is to become a template.
func (l *Lab) setUp(
	ctx context.Context, server postgres.Cluster, inServer string, s *scenario.Scenario,
	database, program string,
) (err error) {
	definition, _ := s.Under.Programs.Get(program)
	target := &Database{Name: database, inServer: inServer, server: server}
	listener, err := wire.Listen(ctx, wire.Config{
		Worker: program, Incarnation: 1, Database: database,
		Dial: target.Dial, Gate: gate.New(nobody{}), Terminate: target.Terminate,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, listener.Close(context.WithoutCancel(ctx))) }()
	values := launch.NewValues(program)
	if err := values.AddDatabase(database, listener.Addr(), target); err != nil {
		return err
	}
	names, given := definition.Arguments(strict.Map[strict.Value]{})
	values.AddArguments(given)
	if err := l.Offer(ctx, s, &definition, values); err != nil {
		return err
	}
	spec, err := launch.Spec(s.Under, &definition, names, values, database)
	if err != nil {
		return err
	}
	if spec.Path, err = l.Executable(ctx, s, &definition, spec.Path); err != nil {
		return err
	}
	spec.Name = "set-up program " + program
	spec.Marker = process.Marker(l.run, "set-up:"+inServer+":"+program, 1)
	spec.Keeper = l.keeper
	return runToItsEnd(ctx, spec, s)
}

// runToItsEnd runs a program that must end by itself, with exit status 0.
func runToItsEnd(ctx context.Context, spec process.Spec, s *scenario.Scenario) error {
	group, err := process.Start(ctx, spec)
	if err != nil {
		return err
	}
	ctx, cancel := clock.WithDeadline(ctx, s.Limit())
	defer cancel()
	select {
	case <-group.Ended():
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("it did not end: %w", context.Cause(ctx)),
			group.Terminate(context.WithoutCancel(ctx)))
	}
	ending := group.Ending()
	if ending.Signal == "" && ending.Exit == 0 {
		return nil
	}
	var last []string
	for _, line := range group.LastLines(20) {
		last = append(last, "  "+line.Printable())
	}
	return fmt.Errorf("it ended with %s; its last lines:\n%s", ending, strings.Join(last, "\n"))
}
