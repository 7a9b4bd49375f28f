package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/report"
	"lostreply/harness/result"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
)

// summaryFile is the generated page of cases and results.
const summaryFile = "SUMMARY.md"

// evidenceCommand runs scenarios and compares their evidence with what is committed, or writes it.
type evidenceCommand struct {
	selection    `embed:""`
	surroundings `embed:""`
	Write        bool   `help:"Write the evidence instead of comparing."`
	Into         string `help:"Compare with, or write to, this folder instead of the systems' own." placeholder:"DIR" type:"path"`
}

// evidenceRun is what one call of the command gathers.
type evidenceRun struct {
	command *evidenceCommand
	folders map[string]string             // of evidence, by system
	preFix  map[string]*scenario.Scenario // what runs against the bug that it was written for
	order   map[string]int                // of the files, by result
	results []result.Result
	files   int
	differ  []string
	stale   []string // committed, and given by no scenario
	trouble []error
}

// Run is called by the command line.
func (c *evidenceCommand) Run(ctx context.Context) error {
	chosen, err := c.load()
	if err != nil {
		return err
	}
	if err := c.against(&chosen); err != nil {
		return err
	}
	if c.Write {
		if err := writable(c.Into); err != nil {
			return usageError{fmt.Errorf("--into %s: %w", c.Into, err)}
		}
	}
	gathering := &evidenceRun{
		command: c, folders: c.folders(chosen.systems), order: chosen.order, preFix: c.preFix(&chosen),
	}
	reported, err := c.each(ctx, chosen, nil, gathering.take)
	if ctx.Err() != nil {
		return status(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if len(c.Paths) == 0 && c.Into == "" && c.Match == "" && len(c.Tag) == 0 && c.Shard == "" {
		gathering.page()
	}
	if c.Into == "" {
		gathering.orphans(chosen)
	}
	if err := errors.Join(gathering.trouble...); err != nil {
		return err
	}
	return c.conclude(gathering, reported)
}

// conclude prints what everything came to, and gives the exit status.
func (c *evidenceCommand) conclude(gathering *evidenceRun, reported int) error {
	for _, path := range gathering.stale {
		fmt.Printf("STALE %s: no scenario gives this evidence any more: delete it\n", path)
	}
	if c.Write {
		fmt.Printf("wrote the evidence of %s\n", counted(reported, "scenario"))
		if len(gathering.stale) > 0 {
			return status(exitFailed)
		}
		return nil
	}
	if len(gathering.stale) > 0 && len(gathering.differ) == 0 {
		fmt.Printf("EVIDENCE equal=%d stale=%d\n", gathering.files, len(gathering.stale))
		return status(exitFailed)
	}
	if len(gathering.differ) > 0 {
		fmt.Printf("EVIDENCE differs=%d of %s: with the same arguments and --write, evidence "+
			"takes what came over\n", len(gathering.differ), counted(gathering.files, "file"))
		return status(exitFailed)
	}
	fmt.Printf("EVIDENCE equal=%d\n", gathering.files)
	return nil
}

func (c *evidenceCommand) folders(systems []*scenario.System) map[string]string {
	folders := map[string]string{}
	for _, system := range systems {
		folders[system.Name.Value] = system.EvidenceFolder()
		if c.Into != "" {
			folders[system.Name.Value] = filepath.Join(c.Into, system.Name.Value)
		}
	}
	return folders
}

// preFix adds, after each scenario that was written for a bug, the same against the variant that
// brings the bug back, and gives these by the keys of their results. What is written elsewhere, or
// against another variant, is one build's evidence and has no other side.
func (c *evidenceCommand) preFix(chosen *selected) map[string]*scenario.Scenario {
	added := map[string]*scenario.Scenario{}
	if c.Into != "" || c.Variant != "" {
		return added
	}
	var all []*scenario.Scenario
	for _, each := range chosen.scenarios {
		all = append(all, each)
		if before := each.BeforeTheFix(); before != nil {
			added[resultKey(before.File, before.Name(), before.Variant.Value)] = before
			all = append(all, before)
		}
	}
	chosen.scenarios = all
	return added
}

func resultKey(file, name, variant string) string { return file + "\x00" + name + "\x00" + variant }

// take compares or writes the evidence of one result. What is inconclusive is never written: it is
// evidence of nothing.
func (e *evidenceRun) take(r result.Result) {
	before := e.preFix[resultKey(r.File, r.Scenario, r.Variant)]
	path := filepath.Join(e.folders[r.System], report.FileName(r.Scenario)+".txt")
	if before == nil {
		e.results = append(e.results, r)
	} else {
		path = strings.TrimSuffix(path, ".txt") + preFixEnd
	}
	if r.Skipped != "" {
		fmt.Printf("skip %s: %s\n", r.Scenario, r.Skipped)
		return
	}
	if r.Verdict == check.Inconclusive {
		text := report.NewText(os.Stdout)
		text.Again = e.command.again()
		if before != nil {
			text.Again.Variant = r.Variant
		}
		text.Result(r)
		e.trouble = append(e.trouble, fmt.Errorf("%s is inconclusive: no evidence", r.Scenario))
		return
	}
	if before != nil {
		if err := run.ShowsItsBug(r, before); err != nil {
			e.trouble = append(e.trouble, err)
			return
		}
	}
	e.file(path, report.Evidence(r))
}

// file writes one file, or compares it and shows what changed.
func (e *evidenceRun) file(path string, fresh []byte) {
	e.files++
	if e.command.Write {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, fresh, 0o644)
		}
		if err != nil {
			e.trouble = append(e.trouble, fmt.Errorf("write evidence: %w", err))
		}
		return
	}
	committed, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		e.trouble = append(e.trouble, fmt.Errorf("read evidence: %w", err))
		return
	}
	if bytes.Equal(committed, fresh) {
		fmt.Printf("same %s\n", path)
		return
	}
	e.differ = append(e.differ, path)
	fmt.Printf("DIFFERS %s\n", path)
	for _, line := range report.Difference(committed, fresh) {
		fmt.Println("  " + line)
	}
}

// page writes or compares the summary of everything, in the order of the files.
func (e *evidenceRun) page() {
	slices.SortStableFunc(e.results, func(a, b result.Result) int {
		return e.order[a.File+a.Scenario] - e.order[b.File+b.Scenario]
	})
	e.file(summaryFile, report.Page(e.results))
}
