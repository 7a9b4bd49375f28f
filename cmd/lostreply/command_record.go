package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"lostreply/harness/lab"
	"lostreply/harness/record"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// recordCommand runs programs once and prints the events that came.
type recordCommand struct {
	System   string   `arg:"" help:"A system by name, its folder or system.yaml, or a scenario file."`
	Programs []string `name:"run" help:"A program and its arguments, in this order: 'create user=u1 event=e1'. Default: every program that needs no argument." placeholder:"'PROGRAM NAME=VALUE…'" sep:"none"`
	SQL      []string `help:"SQL that is run first, in the only database." placeholder:"TEXT" sep:"none"`
	Postgres string   `help:"Use this PostgreSQL server instead of an own one." placeholder:"URL" env:"LOSTREPLY_POSTGRES_URL"`
}

// Run is called by the command line.
func (c *recordCommand) Run(ctx context.Context) (err error) {
	if err := validServer(c.Postgres); err != nil {
		return err
	}
	system, recorded, err := c.load()
	if err != nil {
		return err
	}
	var invocations []record.Invocation
	for _, text := range c.Programs {
		invocation, err := record.ParseInvocation(system, text)
		if err != nil {
			return usageError{fmt.Errorf("--run %q: %w", text, err)}
		}
		invocations = append(invocations, invocation)
	}
	in, err := lab.Open(lab.Options{
		PostgresURL: c.Postgres, PostgresDirectory: lab.PostgresDirectoryFromEnvironment(),
		Parallel: 1, Log: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close(context.WithoutCancel(ctx))) }()
	var recording record.Recording
	if recorded != nil {
		recording = record.Scenario(ctx, in, recorded)
	} else {
		recording = record.System(ctx, in, system, invocations, c.SQL)
	}
	if ctx.Err() != nil {
		return status(exitInterrupted)
	}
	return printRecording(recording)
}

// load finds the system, and the scenario when it is a scenario file that is recorded.
func (c *recordCommand) load() (*scenario.System, *scenario.Scenario, error) {
	path, _, err := placeOf(c.System)
	if err != nil {
		return nil, nil, err
	}
	system, err := scenario.LoadSystem(path)
	if err == nil {
		return system, nil, nil
	}
	if !errors.Is(err, scenario.ErrNoSystem) {
		return nil, nil, usageError{err}
	}
	suite, err := scenario.Load(path)
	if err != nil {
		return nil, nil, usageError{err}
	}
	if len(c.Programs) > 0 || len(c.SQL) > 0 {
		return nil, nil, usageError{errors.New("a scenario file says itself what is run: " +
			"leave out --run and --sql")}
	}
	return suite.Scenarios[0].Under, suite.Scenarios[0], nil
}

func printRecording(recording record.Recording) error {
	for _, line := range recording.ByWorker() {
		fmt.Println(line)
	}
	for _, reason := range recording.NotRun {
		fmt.Printf("not run: %s; give it with --run\n", reason)
	}
	if recording.Events != "" {
		fmt.Printf("\nfor system.yaml (rename as you like; commit, exit and channels are events "+
			"already):\n\n%s", recording.Events)
	}
	for _, worker := range recording.Result.Workers {
		if worker.Ending != "exit 0" {
			fmt.Fprintf(os.Stderr, "worker %s ended with %s\n", worker.Name, worker.Ending)
			for _, line := range worker.Lines {
				fmt.Fprintln(os.Stderr, "  "+line)
			}
		}
	}
	troubled := false
	for _, entry := range recording.Result.Entries {
		if entry.Kind == result.Trouble {
			troubled = true
			fmt.Fprintf(os.Stderr, "trouble: %s\n", entry.Text)
			for _, line := range entry.Context {
				fmt.Fprintln(os.Stderr, "  "+line)
			}
		}
	}
	if troubled || len(recording.Result.History) == 0 {
		return status(exitInconclusive)
	}
	return nil
}
