package main

import (
	"fmt"
	"os"

	"lostreply/harness/scenario"
)

// schemaCommand prints the JSON Schema of the files.
type schemaCommand struct {
	Kind string `arg:"" optional:"" enum:"all,system,scenario,defect" default:"all" help:"Which kind of file: system, scenario, defect, or all."`
}

// Run is called by the command line.
func (c *schemaCommand) Run() error {
	schema, err := scenario.Schema(c.Kind)
	if err != nil {
		return usageError{err}
	}
	if _, err := os.Stdout.Write(schema); err != nil {
		return fmt.Errorf("print the schema: %w", err)
	}
	return nil
}
