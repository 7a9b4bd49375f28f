package verb

import (
	"context"
	"fmt"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
)

// run runs a program to its end.
func run(ctx context.Context, on launcher, step *scenario.Run) ([]result.Entry, error) {
	started, err := launch(ctx, on, step.Program.Value, step.As, step.Args)
	if err != nil {
		return nil, err
	}
	var entries []result.Entry
	for _, worker := range started {
		ended, err := toItsEnd(ctx, on, worker, step.Exit, at(step.At))
		entries = append(entries, ended...)
		if err != nil {
			return entries, err
		}
		for _, text := range step.Prints {
			line := check.CompareClaim(worker.Name, text, texts(worker.Lines()))
			entries = append(entries, judged(line, at(step.At), worker.LastLines()))
		}
	}
	return entries, nil
}

// toItsEnd waits for a worker's end and judges how it ended. The end that was expected is no line
// of its own: what matters is what is left.
func toItsEnd(
	ctx context.Context, on workers, worker *stage.Worker, exit int, position string,
) ([]result.Entry, error) {
	if err := end(ctx, on, worker); err != nil {
		return nil, err
	}
	line := check.CompareEnding(worker.Name, check.Ending{Exit: exit}, ending(worker))
	if line.Verdict == check.Pass {
		return nil, nil
	}
	return []result.Entry{judged(line, position, worker.LastLines())}, nil
}

// end waits for the end of a worker, whatever its status is.
func end(ctx context.Context, on workers, worker *stage.Worker) error {
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	select {
	case <-worker.Done():
		return nil
	case <-ctx.Done():
		reason := fmt.Sprintf("worker %s did not end: %v", worker.Name, context.Cause(ctx))
		if left := worker.Leftovers(); len(left) > 0 {
			reason += "; its first process did, but what it started lives on: " +
				strings.Join(left, " | ")
		}
		return stage.Inconclusive{Reason: reason, Seen: worker.LastLines(), Hung: worker.Name}
	}
}

// ending is how a worker ended; nil while it runs.
func ending(worker *stage.Worker) *check.Ending {
	if !worker.HasEnded() {
		return nil
	}
	ended := worker.Ending()
	return &check.Ending{Exit: ended.Exit, Signal: ended.Signal}
}
