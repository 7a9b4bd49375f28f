package verb

import (
	"context"
	"fmt"
	"strings"

	"lostreply/harness/clock"
	"lostreply/harness/process"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
)

// waiter waits for workers.
type waiter interface {
	workers
	AwaitIdle(ctx context.Context, worker *stage.Worker, event string) error
}

// wait waits for workers to end, for a line of each, or until each has nothing to do.
func wait(ctx context.Context, on waiter, step *scenario.Wait) ([]result.Entry, error) {
	var entries []result.Entry
	for _, name := range step.Worker {
		worker, err := on.Worker(name.Value)
		if err != nil {
			return entries, err
		}
		switch {
		case step.Line != "":
			err = awaitLine(ctx, on, worker, step.Line)
		case step.Idle.Value != "":
			err = on.AwaitIdle(ctx, worker, step.Idle.Value)
		default:
			var ended []result.Entry
			ended, err = toItsEnd(ctx, on, worker, step.Exit, at(step.At))
			entries = append(entries, ended...)
		}
		if err != nil {
			return entries, err
		}
	}
	return entries, nil
}

func awaitLine(ctx context.Context, on workers, worker *stage.Worker, text string) error {
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	err := worker.WaitLine(ctx, func(line process.Line) bool {
		return strings.Contains(line.Text, text)
	})
	if err != nil {
		return stage.Inconclusive{
			Reason: fmt.Sprintf("worker %s did not print %q: %v", worker.Name, text, err),
		}
	}
	return nil
}
