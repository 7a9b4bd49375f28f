package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lostreply/harness/check"
	"lostreply/harness/matrix"
	"lostreply/harness/report"
)

// variantsCommand runs the matrix: each variant against the scenarios that must catch it.
type variantsCommand struct {
	Targets  []string `arg:"" optional:"" name:"target" help:"Systems by name, scenario files, and folders of them. Default: scenarios."`
	Match    string   `name:"run" help:"Only variants whose SYSTEM/NAME matches this regular expression." placeholder:"REGEX"`
	Full     bool     `help:"Run every scenario of the system against each variant: it shows all that each of them breaks, and what an excuse is wrong about."`
	Parallel int      `help:"How many scenarios run at once. Default, and 0: twice the cores." placeholder:"N"`
	Postgres string   `help:"Use this PostgreSQL server instead of an own one." placeholder:"URL" env:"LOSTREPLY_POSTGRES_URL"`
	Out      string   `help:"Write the table as variants.html below this folder too." placeholder:"DIR" type:"path"`
}

// Run is called by the command line.
func (c *variantsCommand) Run(ctx context.Context) error {
	if err := errors.Join(validParallel(c.Parallel), validServer(c.Postgres)); err != nil {
		return err
	}
	plan, err := c.plan()
	if err != nil {
		return err
	}
	if err := outWritable(c.Out); err != nil {
		return usageError{err}
	}
	work := &variantsRun{plan: plan, tally: matrix.Tally{},
		table: matrix.NewTable(os.Stdout, plan.variants)}
	err = work.carryOut(ctx, c)
	if ctx.Err() != nil {
		return status(exitInterrupted)
	}
	if err != nil {
		return err
	}
	return work.conclude(c.Out)
}

// conclude prints what the checks came to, writes the page, and gives the exit status.
func (w *variantsRun) conclude(folder string) error {
	account := w.coverage.Account(w.plan.lists, w.plan.complete && w.skipped == 0)
	summary := matrix.Summary(w.tally, account)
	fmt.Print(account.Listing(w.plan.complete))
	fmt.Println(summary)
	if folder != "" {
		page := matrix.Page{
			Rows: w.rows, Account: account, Complete: w.plan.complete, Summary: summary,
		}
		if err := writePage(filepath.Join(folder, "variants.html"), page); err != nil {
			return err
		}
	}
	lacking := w.plan.complete && account.Lacks()
	switch {
	case w.tally[matrix.Survived] > 0, w.clean.Failed > 0, lacking:
		return status(exitFailed)
	case w.tally[matrix.Trouble] > 0, w.clean.Verdict() == check.Inconclusive && w.cleanRuns > 0:
		return status(exitInconclusive)
	}
	return nil
}

func writePage(path string, page matrix.Page) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write the page of variants: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the page of variants: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return page.Write(file)
}

// takeClean counts what a scenario came to against the system as it stands, and shows it when it
// did not pass: nothing that a variant shows means anything then.
func (w *variantsRun) takeClean(each matrix.Run) {
	w.clean = w.clean.Plus(report.Count(each.Result))
	w.coverage.Add(each, matrix.Clean, true)
	if each.Result.Skipped != "" {
		w.skipped++
		fmt.Printf("skip %s: %s\n", each.Result.Scenario, each.Result.Skipped)
		return
	}
	w.cleanRuns++
	if each.Result.Verdict != check.Pass {
		fmt.Println("the system as it stands does not pass:")
		report.NewText(os.Stdout).Result(each.Result)
	}
}
