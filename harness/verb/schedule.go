package verb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
)

// scheduler lets scheduled workers go on.
type scheduler interface {
	workers
	Proceed(ctx context.Context, worker string, goal stage.Goal) error
	ProceedToEnds(ctx context.Context, workers []string) error
	HasSettled(worker string) bool
	WhereEachStands() []string
}

// schedule lets workers go on in the order of the step. Those that no later order names must have
// come to their end by it.
func schedule(
	ctx context.Context, on scheduler, step *scenario.Schedule,
) ([]result.Entry, error) {
	for i, turn := range step.Order {
		goal := stage.Goal{Before: turn.Before.Value, After: turn.After.Value}
		for _, worker := range turn.Worker {
			err := on.Proceed(ctx, worker.Value, goal)
			var proves stage.Inconclusive
			if errors.As(err, &proves) {
				proves.Reason = fmt.Sprintf("turn %d of the order: %s", i+1, proves.Reason)
				return nil, proves
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if err := on.ProceedToEnds(ctx, step.Rest.Values()); err != nil {
		return nil, err
	}
	return ends(ctx, on, step)
}

// ends waits for the ends of the workers whose last order this is. What one of the rest ended with
// is not asked.
func ends(ctx context.Context, on scheduler, step *scenario.Schedule) ([]result.Entry, error) {
	var entries []result.Entry
	for _, name := range step.Ends {
		if !on.HasSettled(name) {
			return entries, stage.Inconclusive{
				Reason: fmt.Sprintf("the order never lets worker %s come to its end", name),
				Seen:   on.WhereEachStands(),
			}
		}
		worker, err := on.Worker(name)
		if err != nil {
			return entries, err
		}
		if slices.Contains(step.Rest.Values(), name) {
			if err := end(ctx, on, worker); err != nil {
				return entries, err
			}
			continue
		}
		ended, err := toItsEnd(ctx, on, worker, step.Exit, at(step.At))
		entries = append(entries, ended...)
		if err != nil {
			return entries, err
		}
	}
	return entries, nil
}
