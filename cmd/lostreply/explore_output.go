package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattn/go-isatty"

	"lostreply/harness/clock"
	"lostreply/harness/explore"
)

// exploreTotal sums explorations up.
type exploreTotal struct {
	reports   []explore.Report
	unknown   int // findings that are not expected
	trouble   bool
	explored  int
	faults    int
	pruned    int
	violating int
	doubtful  int
}

func (t *exploreTotal) add(r explore.Report, known explore.Known) {
	t.reports = append(t.reports, r)
	t.explored += r.Explored
	t.faults += r.Total
	t.pruned += r.Pruned
	t.violating += r.Violations
	t.doubtful += r.Inconclusive
	for _, finding := range r.Findings {
		if !known.Has(finding) {
			t.unknown++
		}
	}
	t.trouble = t.trouble || r.Inert || r.Inconclusive > 0 || r.Explored == 0 && !r.Elsewhere
}

// printGone prints the findings that are expected and were not found.
func (t *exploreTotal) printGone(known explore.Known) {
	for _, key := range known.Gone(t.reports) {
		fmt.Printf("GONE %s\n", key)
	}
}

func (t *exploreTotal) line() string {
	return counts(t.explored, t.faults, t.pruned, t.violating, t.doubtful)
}

func counts(explored, faults, pruned, violations, inconclusive int) string {
	return fmt.Sprintf("explored=%d of %d (pruned %d), violations=%d, inconclusive=%d",
		explored, faults, pruned, violations, inconclusive)
}

func (t *exploreTotal) verdict() error {
	switch {
	case t.unknown > 0:
		return status(exitFailed)
	case t.trouble:
		return status(exitInconclusive)
	default:
		return nil
	}
}

// printExploration prints what one exploration came to.
func printExploration(r explore.Report, known explore.Known, expects bool) {
	if r.Variant != "" {
		fmt.Printf("  variant %s\n", r.Variant)
	}
	for _, note := range r.Notes {
		fmt.Printf("  note %s\n", note)
	}
	for _, finding := range r.Findings {
		word := "FOUND"
		if known.Has(finding) {
			word = "known"
		} else if expects {
			word = "NEW  "
		}
		also := ""
		if finding.Also > 0 {
			also = fmt.Sprintf(", and %d more", finding.Also)
		}
		kind := "safety"
		if finding.Liveness {
			kind = "liveness"
		}
		fmt.Printf("  %s %s\n        %s: %s\n        at %s%s: %s %s\n", word, finding.Key(), kind,
			finding.Witness, finding.At, also, commandName(), finding.File)
	}
	for _, doubt := range r.Doubts {
		fmt.Printf("  inconclusive %s\n", strings.ReplaceAll(doubt, "\n", "\n      "))
	}
	switch {
	case r.Elsewhere:
		fmt.Println("  note the orders of its workers are another shard's")
	case r.Explored == 0:
		fmt.Println("  inconclusive: nothing was explored: no event that can be held is left to try")
	case r.Inert:
		fmt.Println("  inconclusive: recovery wrote nothing after any fault: it was not put to the test")
	}
	fmt.Printf("  %s\n  outcome=%s\n", counts(r.Explored, r.Total, r.Pruned, r.Violations,
		r.Inconclusive), r.Outcome)
}

// How often progress is told: on a terminal, and elsewhere as a line of its own.
const (
	progressOnTerminal = time.Second
	progressElsewhere  = 10 * time.Second
)

// progress tells how far an exploration is, on standard error, until the second function is called.
func progress(ctx context.Context, name string) (follow func(done, planned int), end func()) {
	terminal := isatty.IsTerminal(os.Stderr.Fd()) && os.Getenv("CI") == ""
	interval := progressElsewhere
	if terminal {
		interval = progressOnTerminal
	}
	ctx, cancel := context.WithCancel(ctx)
	var done, planned atomic.Int64
	started := clock.Now()
	var told sync.WaitGroup
	told.Go(func() {
		clock.Every(ctx, interval, func() {
			line := progressLine(name, done.Load(), planned.Load(), clock.Since(started))
			if terminal {
				fmt.Fprintf(os.Stderr, "\r\x1b[K%s", line)
			} else {
				fmt.Fprintln(os.Stderr, line)
			}
		})
		if terminal {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	})
	follow = func(now, of int) {
		done.Store(max(int64(now), done.Load()))
		planned.Store(int64(of))
	}
	return follow, func() { cancel(); told.Wait() }
}

func progressLine(name string, done, planned int64, took time.Duration) string {
	if planned == 0 {
		return fmt.Sprintf("exploring %s: recording without a fault", name)
	}
	rate := float64(done) / took.Seconds()
	left := time.Duration(float64(planned-done) / rate * float64(time.Second))
	return fmt.Sprintf("exploring %s: %d of %d, %.1f a second, %s left", name, done, planned, rate,
		left.Round(time.Second))
}
