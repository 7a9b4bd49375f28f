package main

import (
	"fmt"

	"lostreply/harness/report"
)

// diffCommand shows what changed between two evidences.
type diffCommand struct {
	Old string `arg:"" help:"Evidence file, or folder of evidence." type:"existingpath"`
	New string `arg:"" help:"Evidence file, or folder of evidence." type:"existingpath"`
}

// Run is called by the command line.
func (c *diffCommand) Run() error {
	changes, err := report.DiffPaths(c.Old, c.New)
	if err != nil {
		return usageError{err}
	}
	for _, line := range changes {
		fmt.Println(line)
	}
	if len(changes) > 0 {
		return status(exitFailed)
	}
	return nil
}
