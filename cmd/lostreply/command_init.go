package main

import (
	"errors"
	"fmt"

	"lostreply/harness/first"
)

// initCommand writes a first system and scenarios.
type initCommand struct {
	Folder string `arg:"" name:"dir" help:"Folder for them. It is made; nothing in it is overwritten." type:"path"`
}

// Run is called by the command line.
func (c *initCommand) Run() error {
	folder := relative(c.Folder)
	names, err := first.Write(folder)
	if errors.Is(err, first.ErrTaken) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		fmt.Printf("wrote %s/%s\n", folder, name)
	}
	fmt.Printf("run it:        %s %s\nread first:    %s/killed-after-acceptance.yaml\n",
		commandName(), folder, folder)
	return nil
}
