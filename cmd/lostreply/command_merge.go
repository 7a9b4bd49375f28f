package main

import (
	"context"
	"errors"
	"fmt"

	"lostreply/harness/explore"
	"lostreply/harness/scenario"
)

// mergeCommand joins what the shards of explorations have recorded.
type mergeCommand struct {
	Folders []string `arg:"" name:"dir" help:"Folders that explore --out has written, one for each shard." type:"path" placeholder:"DIR"`
	Out     string   `help:"Folder for the scenarios that show what was found." default:"explored" type:"path" placeholder:"DIR"`
	Expect  string   `help:"File of findings that are known: a new one fails, one that is gone is told." type:"path" placeholder:"FILE"`
}

// Run is called by the command line.
func (c *mergeCommand) Run(ctx context.Context) error {
	known, err := knownOf(c.Expect)
	if err != nil {
		return err
	}
	folders := make([]string, len(c.Folders))
	for i, each := range c.Folders {
		folders[i] = relative(each)
	}
	parts, err := explore.ReadParts(folders)
	if errors.Is(err, explore.ErrNotWhole) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if err := outWritable(c.Out); err != nil {
		return usageError{err}
	}
	var total exploreTotal
	for _, each := range parts {
		s, err := scenarioCalled(each.File, each.Scenario)
		if err != nil {
			return err
		}
		report, err := each.Merge(ctx, s, relative(c.Out))
		if errors.Is(err, explore.ErrNotWhole) {
			return usageError{err}
		}
		if err != nil {
			return err
		}
		fmt.Printf("EXPLORE %s :: %s\n", report.Scenario, report.Title)
		total.add(report, known)
		printExploration(report, known, c.Expect != "")
	}
	total.printGone(known)
	fmt.Println(total.line())
	return total.verdict()
}

// scenarioCalled is the scenario of that name, a cell of a matrix included, in a file.
func scenarioCalled(file, name string) (*scenario.Scenario, error) {
	suite, err := scenario.Load(file)
	if err != nil {
		return nil, usageError{fmt.Errorf("merge where it was explored: %w", err)}
	}
	for _, each := range suite.Scenarios {
		if each.Name() == name && len(each.Failing) == 0 {
			return each, nil
		}
	}
	return nil, usageError{fmt.Errorf("merge %s: %s holds no scenario of that name", name, file)}
}

// knownOf are the findings of a file; none without a file.
func knownOf(file string) (explore.Known, error) {
	if file == "" {
		return explore.Known{}, nil
	}
	known, err := explore.ReadKnown(relative(file))
	if err != nil {
		return known, usageError{err}
	}
	return known, nil
}
