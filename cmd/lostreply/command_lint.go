package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"lostreply/harness/scenario"
	"lostreply/harness/variant"
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
	for _, system := range chosen.systems {
		if err := lintDefects(system); err != nil {
			return usageError{err}
		}
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

// lintDefects checks the files of a system's defects, and that each fits its source.
func lintDefects(system *scenario.System) error {
	_, defects, err := variantsOf(system)
	if err != nil {
		return err
	}
	_, err = scenario.LoadUnfailed(system)
	problems := []error{err}
	for _, name := range slices.Sorted(maps.Keys(defects)) {
		problems = append(problems, variant.Fit(system, defects[name]))
	}
	return errors.Join(problems...)
}
