package main

import (
	"fmt"

	"lostreply/harness/scenario"
)

// lintCommand checks files without running anything.
type lintCommand struct {
	selection `embed:""`
	Strict    bool `help:"Exit 1 when there are warnings."`
}

// Run is called by the command line.
func (c *lintCommand) Run() error {
	chosen, err := c.load()
	if err != nil {
		return err
	}
	warnings := 0
	for _, s := range chosen.scenarios {
		for _, warning := range scenario.Lint(s) {
			fmt.Printf("%s: warning: %s\n", warning.At, warning.Message)
			warnings++
		}
	}
	fmt.Printf("checked %s of %s: no errors, %s\n", counted(len(chosen.scenarios), "scenario"),
		counted(len(chosen.systems), "system"), counted(warnings, "warning"))
	if c.Strict && warnings > 0 {
		return status(exitFailed)
	}
	return nil
}
