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
	Paths        []string      `arg:"" help:"Scenario files, and folders of them: what they do without their faults and checks is the workload." type:"path"`
	Match        string        `name:"run" help:"Only scenarios whose name matches this regular expression." placeholder:"REGEX"`
	Full         bool          `help:"Try every turn that can be held, also inside transactions and where nothing was written."`
	Faults       int           `help:"How many faults there are in one run at most. With 2, the second is anywhere after the first, recovery included." default:"1"`
	Most         int           `help:"At most so many schedules of several faults, evenly chosen. Default, and 0: all." placeholder:"N"`
	At           string        `help:"Only faults that match this regular expression, as they are printed: kill at w1.1 push#1 response." placeholder:"REGEX"`
	Expectations bool          `help:"Judge by the scenario's own expectations. Default: by what is left without a fault."`
	Advance      time.Duration `help:"How far each round of the recovery moves the clocks: past leases and retries, and not past what must not expire." default:"2m" placeholder:"T"`
	Out          string        `help:"Folder for the scenarios that show what was found." default:"explored" type:"path" placeholder:"DIR"`
	Expect       string        `help:"File of findings that are known: a new one fails, one that is gone is told." type:"path" placeholder:"FILE"`
	Seed         uint64        `help:"Seed of the order in which faults are tried; what comes of them is the same. Default: the order of the plan."`
	Shard        string        `help:"Only the Ith of N parts of the faults, such as 1/3." placeholder:"I/N"`
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
	var known explore.Known
	if c.Expect != "" {
		if known, err = explore.ReadKnown(relative(c.Expect)); err != nil {
			return usageError{err}
		}
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
		return status(exitInterrupted)
	}
	if trouble := errors.Join(err, closing); trouble != nil {
		fmt.Fprintln(os.Stderr, trouble)
		total.trouble = true
	}
	if c.Expect != "" && c.Shard == "" {
		for _, key := range known.Gone(total.reports) {
			fmt.Printf("GONE %s\n", key)
		}
	}
	fmt.Println(total.line())
	return total.verdict()
}

// choose loads what is to be explored. What can't be is refused before anything runs.
func (c *exploreCommand) choose() (selected, explore.Options, error) {
	options := explore.Options{
		Full: c.Full, Expectations: c.Expectations, Variant: c.Variant, Advance: c.Advance,
		Parallel: c.Parallel, Seed: c.Seed, Out: relative(c.Out), Faults: c.Faults, Most: c.Most,
	}
	if options.Parallel == 0 {
		options.Parallel = 2 * runtime.NumCPU()
	}
	if c.Advance <= 0 {
		return selected{}, options,
			usageError{fmt.Errorf("--advance %s: expected more than 0", c.Advance)}
	}
	if c.Faults < 1 || c.Most < 0 {
		return selected{}, options, usageError{fmt.Errorf("--faults %d --most %d: expected at least 1, "+
			"and at least 0", c.Faults, c.Most)}
	}
	var err error
	if c.At != "" {
		if options.At, err = regexp.Compile(c.At); err != nil {
			return selected{}, options, usageError{fmt.Errorf("--at: %w", err)}
		}
	}
	if options.Shard, options.Shards, err = part(c.Shard); err != nil {
		return selected{}, options, err
	}
	chosen, err := selection{Paths: c.Paths, Match: c.Match}.load()
	if err != nil {
		return chosen, options, err
	}
	chosen.keep(func(s *scenario.Scenario) bool { return len(s.Failing) == 0 })
	around := surroundings{Variant: c.Variant, Parallel: c.Parallel}
	if err := around.against(&chosen); err != nil {
		return chosen, options, err
	}
	for _, each := range chosen.scenarios {
		if refusal := explore.Check(each, options); refusal != nil {
			err = errors.Join(err, refusal)
		}
	}
	if err != nil {
		err = usageError{err}
	}
	return chosen, options, err
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
