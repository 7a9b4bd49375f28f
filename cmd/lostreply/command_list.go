package main

import (
	"fmt"
	"strings"
)

// listCommand lists scenarios.
type listCommand struct {
	selection `embed:""`
}

// Run is called by the command line.
func (c *listCommand) Run() error {
	chosen, err := c.load()
	if err != nil {
		return err
	}
	for _, s := range chosen.scenarios {
		var notes []string
		if s.Variant.Value != "" {
			notes = append(notes, "variant "+s.Variant.Value)
		}
		for _, tag := range s.Tags {
			notes = append(notes, "tag "+tag.Value)
		}
		note := ""
		if len(notes) > 0 {
			note = " (" + strings.Join(notes, ", ") + ")"
		}
		fmt.Printf("%-12s %-10s %s%s\n", s.Under.Name.Value, s.Name(), s.Title, note)
	}
	if len(chosen.leftOut) > 0 {
		fmt.Printf("left out, tagged %s: %s\n", optIn(),
			byScenario(chosen.leftOut))
	}
	return nil
}
