package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/lab"
	"lostreply/harness/matrix"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
)

// variantsRun is the matrix while it runs, and what it came to.
type variantsRun struct {
	plan      *variantsPlan
	table     *matrix.Table
	rows      []matrix.Row
	tally     matrix.Tally
	coverage  matrix.Coverage
	clean     check.Summary
	cleanRuns int
	skipped   int // scenarios that this machine can't run
}

// build is one build of the matrix with what is run against it.
type build struct {
	runs    []matrix.Run
	unbuilt error
	took    time.Duration // of the build
	done    chan struct{}
}

// carryOut sets up one lab for everything, so that server, templates and warm backends are shared,
// and takes the results in order: the system as it stands, then each variant.
func (w *variantsRun) carryOut(ctx context.Context, c *variantsCommand) (err error) {
	parallel := c.Parallel
	if parallel == 0 {
		parallel = 2 * runtime.NumCPU()
	}
	in, err := lab.Open(lab.Options{
		PostgresURL: c.Postgres, PostgresDirectory: lab.PostgresDirectoryFromEnvironment(),
		Parallel: parallel, Log: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var builds []*build
	defer func() {
		cancel()
		for _, each := range builds {
			<-each.done // what runs ends before the lab does
		}
		err = errors.Join(err, in.Close(context.WithoutCancel(ctx)))
	}()
	if err := in.Prepare(ctx, scenariosOf(w.plan.clean)); err != nil {
		return err
	}
	builds = append(builds, &build{runs: w.plan.clean})
	for _, runs := range w.plan.runs {
		builds = append(builds, &build{runs: runs})
	}
	builds = append(builds, &build{runs: w.plan.controls})
	for _, each := range builds {
		each.done = make(chan struct{})
	}
	go start(ctx, in, builds, parallel)
	return w.take(ctx, builds)
}

// take judges the builds in order, each as soon as it and all before it are done.
func (w *variantsRun) take(ctx context.Context, builds []*build) error {
	for i, each := range builds {
		<-each.done
		if ctx.Err() != nil {
			return ctx.Err()
		}
		variant := i - 1 // the first build is the system as it stands, the last that for controls
		switch {
		case i == 0:
			for _, one := range each.runs {
				w.takeClean(one)
			}
			fmt.Printf("clean     scenarios=%d checks=%d failed=%d\n", w.cleanRuns,
				w.clean.Passed, w.clean.Failed)
		case variant < len(w.plan.variants):
			if err := w.takeVariant(w.plan.variants[variant], each); err != nil {
				return err
			}
		default:
			for _, one := range each.runs {
				w.coverage.Add(one, matrix.Clean, false)
			}
		}
		each.runs = nil // their histories are of no more use
	}
	return nil
}

func (w *variantsRun) takeVariant(v matrix.Variant, done *build) error {
	row := matrix.Judge(v, done.runs, &w.coverage, done.unbuilt)
	row.Took += done.took
	for _, one := range done.runs {
		w.coverage.Add(one, v.Label(), one.Own)
	}
	w.rows = append(w.rows, row)
	w.tally[row.Verdict]++
	return w.table.Row(row)
}

// start builds in order, as many at once as there are cores, and runs what is built meanwhile.
func start(ctx context.Context, in *lab.Lab, builds []*build, parallel int) {
	building := make(chan struct{}, runtime.NumCPU())
	slots := make(chan struct{}, parallel)
	for _, each := range builds {
		building <- struct{}{}
		started := clock.Now()
		go func() {
			defer close(each.done)
			each.unbuilt = in.Build(ctx, scenariosOf(each.runs))
			each.took = clock.Since(started)
			<-building
			if each.unbuilt == nil {
				each.run(ctx, in, slots)
			}
		}()
	}
}

func (b *build) run(ctx context.Context, in *lab.Lab, slots chan struct{}) {
	var running sync.WaitGroup
	for i := range b.runs {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() == nil {
				b.runs[i].Result = run.One(ctx, in, b.runs[i].Scenario)
			}
		})
	}
	running.Wait()
}

func scenariosOf(runs []matrix.Run) []*scenario.Scenario {
	var all []*scenario.Scenario
	for _, each := range runs {
		all = append(all, each.Scenario)
	}
	return all
}
