package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// widestName bounds the column of names: one long cell of a matrix must not push every title out of
// sight.
const widestName = 32

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
	systems, names := 0, 0
	for _, s := range chosen.scenarios {
		systems = max(systems, utf8.RuneCountInString(s.Under.Name.Value))
		names = max(names, min(utf8.RuneCountInString(s.Name()), widestName))
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
		fmt.Printf("%-*s  %-*s  %s%s\n", systems, s.Under.Name.Value, names, s.Name(), s.Title, note)
	}
	if len(chosen.leftOut) > 0 {
		fmt.Printf("left out, tagged %s: %s\n", optIn(),
			byScenario(chosen.leftOut))
	}
	if len(chosen.tags) > 0 {
		fmt.Printf("tags: %s\n", strings.Join(chosen.tags, ", "))
	}
	return nil
}
