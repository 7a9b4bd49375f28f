package main

import (
	"fmt"
	"os"

	"lostreply/harness/report"
	"lostreply/harness/scenario"
)

// schemaCommand prints the JSON Schema of the files.
type schemaCommand struct {
	Kind string `arg:"" optional:"" enum:"all,system,scenario,defect,unfailed,report" default:"all" help:"Which kind of file: system, scenario, defect, unfailed, or all of these; or report, what --format json writes."`
}

// Run is called by the command line.
func (c *schemaCommand) Run() error {
	schema := report.Schema()
	if c.Kind != "report" {
		var err error
		if schema, err = scenario.Schema(c.Kind); err != nil {
			return usageError{err}
		}
	}
	if _, err := os.Stdout.Write(schema); err != nil {
		return fmt.Errorf("print the schema: %w", err)
	}
	return nil
}
