// Package run carries out one scenario from its first step to its verdict.
package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/lab"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
	"lostreply/harness/strict"
	"lostreply/harness/verb"
)

// One runs a scenario once and judges it. It never retries. What goes wrong in the harness is an
// entry of the result, which is inconclusive then. Where the machine lacks what the scenario needs,
// it is skipped.
func One(ctx context.Context, in *lab.Lab, s *scenario.Scenario) result.Result {
	return Observed(ctx, in, s, nil)
}

// Observed is One with somebody who is shown every statement that workers send; nil for nobody.
func Observed(
	ctx context.Context, in *lab.Lab, s *scenario.Scenario, observe stage.Observer,
) result.Result {
	return one(ctx, in, s, observe, nil)
}

// Look reads what is left of a run, in the snapshot of its expectations. Its error is trouble of
// the harness.
type Look func(ctx context.Context, on *stage.Stage) error

// Looked is One with a look at what is left, once the expectations have been judged.
func Looked(ctx context.Context, in *lab.Lab, s *scenario.Scenario, look Look) result.Result {
	return one(ctx, in, s, nil, look)
}

func one(
	ctx context.Context, in *lab.Lab, s *scenario.Scenario, observe stage.Observer, look Look,
) result.Result {
	started := clock.Now()
	r := result.Result{
		Scenario: s.Name(), Title: s.Title, System: s.Under.Name.Value, Version: s.Version,
		Variant: in.VariantOf(s), File: s.File, Category: s.Category(), Limits: s.Limits, Attempts: 1,
	}
	var on *stage.Stage
	reason, err := in.Unmet(ctx, s)
	if reason != "" {
		r.Skipped = reason
		r.Judge()
		return r
	}
	if err == nil {
		on, err = stage.New(ctx, in, s, observe)
	}
	if err != nil {
		r.Entries = append(r.Entries, trouble(err, s.At))
	} else {
		perform(ctx, on, s, &r, look)
		if err := on.TearDown(context.WithoutCancel(ctx)); err != nil {
			r.Entries = append(r.Entries, trouble(fmt.Errorf("tear down: %w", err), s.At))
		}
		r.History = on.History()
	}
	r.Duration = clock.Since(started)
	expectFailures(&r, s)
	r.Judge()
	return r
}

// errStopped ends the snapshot of expectations of which one could not be judged. Why is an entry of
// the result already.
var errStopped = errors.New("an expectation could not be judged")

// perform does the steps, judges what is expected, and looks at what nobody had to ask for.
func perform(
	ctx context.Context, on *stage.Stage, s *scenario.Scenario, r *result.Result, look Look,
) {
	if perfect := steps(ctx, on, s.Steps, r); perfect {
		err := on.InSnapshot(ctx, func() error {
			if !steps(ctx, on, s.Expect, r) {
				return errStopped
			}
			if look != nil {
				return look(ctx, on)
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			r.Entries = append(r.Entries, trouble(err, s.At))
		}
	}
	var calls, rest []result.Entry
	for _, found := range on.Aftermath() {
		entry := result.Entry{
			Kind: result.Check, Line: found.Line, At: at(orWhole(found.At, s)),
		}
		if found.Call {
			calls = append(calls, entry)
		} else {
			rest = append(rest, entry)
		}
	}
	r.Entries = append(causesFirst(r.Entries, calls), rest...)
	for _, note := range on.Notes(ctx) {
		r.Entries = append(r.Entries, result.Entry{Kind: result.Note, Text: note, At: at(s.At)})
	}
	if !troubled(r) {
		for _, doubt := range on.Doubts() {
			r.Entries = append(r.Entries, result.Entry{
				Kind: result.Trouble, Text: doubt.Text, At: at(orWhole(doubt.At, s)),
			})
		}
	}
	r.Workers = workers(on, s)
}

// orWhole is a place, or that of the whole scenario where none is known.
func orWhole(place strict.Position, s *scenario.Scenario) strict.Position {
	if place == (strict.Position{}) {
		return s.At
	}
	return place
}

// steps does steps in order until one proves nothing. It tells whether all were done.
func steps(ctx context.Context, on *stage.Stage, all []scenario.Step, r *result.Result) bool {
	for _, step := range all {
		entries, err := verb.Do(ctx, on, step)
		for i := range entries {
			entries[i].After = on.Recorded()
			shown(&entries[i], on.Scenario().Text(step.At), r)
		}
		r.Entries = append(r.Entries, entries...)
		if err != nil {
			stopped := trouble(err, step.At)
			stopped.Step = on.Scenario().Text(step.At)
			r.Entries = append(r.Entries, stopped)
			return false
		}
	}
	return true
}

// shown adds to an entry that did not pass how its step is written, and takes the facts away that
// an entry before has told already.
func shown(entry *result.Entry, step []string, r *result.Result) {
	if entry.Kind != result.Check || entry.Line.Verdict == check.Pass {
		return
	}
	entry.Step = step
	for _, earlier := range slices.Backward(r.Entries) {
		if len(earlier.Facts) > 0 {
			if slices.Equal(earlier.Facts, entry.Facts) {
				entry.Facts = nil
			}
			return
		}
	}
}

func troubled(r *result.Result) bool {
	for _, entry := range r.Entries {
		if entry.Kind == result.Trouble {
			return true
		}
	}
	return false
}

// trouble is the entry of a step that proved nothing.
func trouble(err error, position strict.Position) result.Entry {
	entry := result.Entry{Kind: result.Trouble, At: at(position), Text: err.Error()}
	var inconclusive stage.Inconclusive
	if errors.As(err, &inconclusive) {
		entry.Context = inconclusive.Seen
		entry.Hung = inconclusive.Hung
	}
	if first, rest, found := strings.Cut(entry.Text, "\n"); found {
		entry.Text = first
		entry.Context = append(strings.Split(rest, "\n"), entry.Context...)
	}
	return entry
}

func at(position strict.Position) string {
	return fmt.Sprintf("%s:%d", position.File, position.Line)
}

// workers are the lives of all workers in the order in which the steps name them: which of two that
// one step starts was first is nobody's choice.
func workers(on *stage.Stage, s *scenario.Scenario) []result.Worker {
	var all []result.Worker
	for _, worker := range on.Workers() {
		record := result.Worker{
			Name: worker.Name, Incarnation: worker.Incarnation, Program: worker.Program,
			Command:  worker.Command,
			Competes: s.Competing[scenario.Life{Worker: worker.Name, Incarnation: worker.Incarnation}],
			Lines:    worker.LastLines(),
		}
		if worker.HasEnded() {
			record.Ending = worker.Ending().String()
		} else {
			record.Quiet = true
		}
		all = append(all, record)
	}
	place := func(w result.Worker) int {
		return slices.Index(s.Lives, scenario.Life{Worker: w.Name, Incarnation: w.Incarnation})
	}
	slices.SortStableFunc(all, func(a, b result.Worker) int { return place(a) - place(b) })
	return all
}
