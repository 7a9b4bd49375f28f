package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"time"

	"lostreply/harness/explore"
	"lostreply/harness/lab"
	"lostreply/harness/scenario"
)

// exploreCommand tries a fault at every place of a scenario's workload.
type exploreCommand struct {
	Paths        []string      `arg:"" help:"Scenario files, folders of them, and systems by name: what they do without their faults and checks is the workload." type:"path"`
	Match        string        `name:"run" help:"Only scenarios whose name matches this regular expression." placeholder:"REGEX"`
	Full         bool          `help:"Try every turn that can be held, also inside transactions and where nothing was written."`
	Faults       int           `help:"How many faults there are in one run at most. With 2, the second is anywhere after the first, recovery included." default:"1"`
	Most         int           `help:"At most so many schedules of several faults, evenly chosen. Default, and 0: all." placeholder:"N"`
	At           string        `help:"Only faults that match this regular expression, as they are printed: kill at w1.1 push#1 response." placeholder:"REGEX"`
	Interleave   bool          `help:"In place of faults, try the orders in which workers that run beside each other take turns. With --full, also those that are known to come to the same."`
	Together     []string      `help:"Orders of these workers, started together: for a workload that starts them one after the other." placeholder:"NAME"`
	Orders       int           `help:"How many orders are tried at most of one group of workers." default:"500" placeholder:"N"`
	Expectations bool          `help:"Judge by the scenario's own expectations. Default: by what is left without a fault."`
	Advance      time.Duration `help:"How far each round of the recovery moves the clocks: past leases and retries, and not past what must not expire." default:"2m" placeholder:"T"`
	Out          string        `help:"Folder for the scenarios that show what was found, and for the records of what each run came to. Default: explored." type:"path" placeholder:"DIR"`
	Resume       string        `help:"Go on with the exploration whose records are in this folder: nothing that is recorded is run again." type:"path" placeholder:"DIR"`
	NoShrink     bool          `help:"Write what is found as it was found, not as small as it goes."`
	Expect       string        `help:"File of findings that are known: a new one fails, one that is gone is told." type:"path" placeholder:"FILE"`
	Seed         uint64        `help:"Seed of the order in which faults are tried; what comes of them is the same. Default: the order of the plan."`
	Budget       time.Duration `help:"Walk through schedules of up to three faults, or with --interleave through orders, at random, by the seed (1 if none is given), for this long." placeholder:"T"`
	Shard        string        `help:"Only the Ith of N parts of the faults, or of the groups of workers whose orders are tried, such as 1/3." placeholder:"I/N"`
	Parallel     int           `help:"How many runs go on at once. Default, and 0: twice the cores." placeholder:"N"`
	Postgres     string        `help:"Use this PostgreSQL server instead of an own one." placeholder:"URL" env:"LOSTREPLY_POSTGRES_URL"`
	Variant      string        `help:"Explore this build of the system: a defect, or a variant of its system.yaml." placeholder:"NAME"`
}

// Run is called by the command line.
func (c *exploreCommand) Run(ctx context.Context) error {
	chosen, options, err := c.choose()
	if err != nil {
		return err
	}
	known, err := knownOf(c.Expect)
	if err != nil {
		return err
	}
	in, err := lab.Open(lab.Options{
		PostgresURL: c.Postgres, PostgresDirectory: lab.PostgresDirectoryFromEnvironment(),
		Variant: c.Variant, Parallel: options.Parallel,
		Log: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return err
	}
	total, err := c.each(ctx, in, chosen.scenarios, options, known)
	closing := in.Close(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "interrupted: to go on, the same command with --resume %s\n", options.Out)
		return status(exitInterrupted)
	}
	if trouble := errors.Join(err, closing); trouble != nil {
		fmt.Fprintln(os.Stderr, trouble)
		total.trouble = true
	}
	if c.Shard == "" {
		total.printGone(known)
	}
	fmt.Println(total.line())
	return total.verdict()
}

// choose loads what is to be explored. What can't be is refused before anything runs.
func (c *exploreCommand) choose() (selected, explore.Options, error) {
	options := explore.Options{
		Full: c.Full, Expectations: c.Expectations, Variant: c.Variant, Advance: c.Advance,
		Shrink: !c.NoShrink, Parallel: c.Parallel, Seed: c.Seed,
		Faults: c.Faults, Most: c.Most, At: c.At,
		Interleave: c.Interleave || len(c.Together) > 0, Together: c.Together, Orders: c.Orders,
	}
	if c.Budget != 0 {
		options.Walk, options.Budget, options.Seed = max(c.Seed, 1), c.Budget, 0
	}
	var err error
	if options.Out, options.Resume, err = c.folder(); err != nil {
		return selected{}, options, err
	}
	if options.Parallel == 0 {
		options.Parallel = 2 * runtime.NumCPU()
	}
	if c.Budget < 0 {
		return selected{}, options,
			usageError{fmt.Errorf("--budget %s: expected more than 0", c.Budget)}
	}
	if c.Advance <= 0 {
		return selected{}, options,
			usageError{fmt.Errorf("--advance %s: expected more than 0", c.Advance)}
	}
	if c.Orders < 1 {
		return selected{}, options, usageError{fmt.Errorf("--orders %d: expected 1 or more", c.Orders)}
	}
	if c.Faults < 1 || c.Most < 0 {
		return selected{}, options, usageError{fmt.Errorf(
			"--faults %d --most %d: expected 1 or more, and 0 or more", c.Faults, c.Most)}
	}
	if _, err := regexp.Compile(c.At); err != nil {
		return selected{}, options, usageError{fmt.Errorf("--at: %w", err)}
	}
	if options.Shard, options.Shards, err = part(c.Shard); err != nil {
		return selected{}, options, err
	}
	chosen, err := selection{Paths: c.Paths, Match: c.Match}.load()
	if err != nil {
		return chosen, options, err
	}
	chosen.keep(func(s *scenario.Scenario) bool { return len(s.Failing) == 0 })
	around := surroundings{Variant: c.Variant, Parallel: c.Parallel, Postgres: c.Postgres}
	if err := around.against(&chosen); err != nil {
		return chosen, options, err
	}
	groups := 0
	for _, each := range chosen.scenarios {
		own, refusal := explore.Check(each, options)
		err = errors.Join(err, refusal)
		groups += own
	}
	if err == nil {
		err = errors.Join(shareable(options, groups), outWritable(options.Out))
	}
	if err != nil {
		err = usageError{err}
	}
	return chosen, options, err
}

// shareable refuses shards that would not be parts of the whole.
func shareable(options explore.Options, groups int) error {
	switch {
	case options.Shards == 0:
	case options.Interleave && groups < options.Shards:
		return fmt.Errorf("--shard %d/%d: what is shared out of orders are groups of workers, and "+
			"there are %d here: which order is worth trying follows from all runs before. Give fewer "+
			"shards, or more scenarios", options.Shard, options.Shards, groups)
	case options.Most > 0:
		return fmt.Errorf("--shard %d/%d with --most %d: the bound is of all schedules, and no shard "+
			"knows what the others have. Choose faults by --at", options.Shard, options.Shards, options.Most)
	}
	return nil
}

// defaultOut is where findings and records go that nobody gave another place.
const defaultOut = "explored"

// folder is where findings and records go, and whether records there are gone on with.
func (c *exploreCommand) folder() (out string, resume bool, err error) {
	switch {
	case c.Resume == "" && c.Out == "":
		return defaultOut, false, nil
	case c.Resume == "":
		return relative(c.Out), false, nil
	case c.Out != "":
		return "", false, usageError{errors.New("--resume DIR goes on in DIR: leave --out away")}
	}
	if _, err := os.Stat(c.Resume); err != nil {
		return "", false, usageError{fmt.Errorf("--resume: no exploration to go on with: %w", err)}
	}
	return relative(c.Resume), true, nil
}

// each explores scenarios one after the other, and prints what each came to. One that is refused
// does not keep the others.
func (c *exploreCommand) each(
	ctx context.Context, in *lab.Lab, scenarios []*scenario.Scenario, options explore.Options,
	known explore.Known,
) (exploreTotal, error) {
	var total exploreTotal
	if err := in.Prepare(ctx, scenarios); err != nil {
		return total, err
	}
	for _, each := range scenarios {
		fmt.Printf("EXPLORE %s :: %s\n", each.Name(), each.Title)
		follow, done := progress(ctx, each.Name())
		options.Progress = follow
		report, err := explore.One(ctx, in, each, options)
		done()
		if options.Interleave && options.Shards > 0 {
			groups, _ := explore.Check(each, options) // not refused, or nothing would run
			options.GroupsBefore += groups
		}
		if errors.Is(err, explore.ErrRefused) && ctx.Err() == nil {
			fmt.Printf("  refused: %v\n", err)
			total.trouble = true
			continue
		}
		if err != nil {
			return total, err
		}
		total.add(report, known)
		printExploration(report, known, c.Expect != "")
	}
	return total, nil
}
