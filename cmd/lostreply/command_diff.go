package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"lostreply/harness/report"
)

// diffCommand shows what changed between two evidences.
type diffCommand struct {
	Old      string   `arg:"" help:"Evidence file, or folder of evidence; with --rev a revision."`
	New      string   `arg:"" help:"The same, for the other side."`
	Paths    []string `arg:"" optional:"" help:"With --rev: scenario files, folders of them, and systems by name. Default: scenarios." type:"path"`
	Rev      bool     `help:"OLD and NEW are git revisions: each is built in a work tree of its own, and the scenarios, as they stand here, are run against both."`
	Parallel int      `help:"With --rev: how many scenarios run at once. Default, and 0: twice the cores." placeholder:"N"`
	compared string   // what was, in words
	Postgres string   `help:"With --rev: use this PostgreSQL server instead of an own one." placeholder:"URL" env:"LOSTREPLY_POSTGRES_URL"`
}

// Run is called by the command line.
func (c *diffCommand) Run(ctx context.Context) error {
	changes, err := c.changes(ctx)
	if ctx.Err() != nil {
		return status(exitInterrupted)
	}
	if err != nil {
		return err
	}
	for _, line := range changes {
		fmt.Println(line)
	}
	if len(changes) == 0 {
		fmt.Fprintf(os.Stderr, "equal: %s\n", c.compared)
	} else {
		return status(exitFailed)
	}
	return nil
}

func (c *diffCommand) changes(ctx context.Context) ([]string, error) {
	if err := validParallel(c.Parallel); err != nil {
		return nil, err
	}
	if err := validServer(c.Postgres); err != nil {
		return nil, err
	}
	if c.Rev {
		return c.ofRevisions(ctx)
	}
	if len(c.Paths) > 0 {
		return nil, usageError{errors.New("diff OLD NEW takes two files or folders; " +
			"scenarios are named with --rev only")}
	}
	changes, files, err := report.DiffPaths(c.Old, c.New)
	if err != nil {
		return nil, usageError{err}
	}
	c.compared = fmt.Sprintf("%s of %s and %s", counted(files, "file"), c.Old, c.New)
	return changes, nil
}
