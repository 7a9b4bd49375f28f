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
	fmt.Printf("checked %d scenarios of %d systems: no errors, %d warnings\n",
		len(chosen.scenarios), len(chosen.systems), warnings)
	if c.Strict && warnings > 0 {
		return status(exitFailed)
	}
	return nil
}
