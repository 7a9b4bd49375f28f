package verb

import (
	"context"
	"errors"
	"fmt"

	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
)

// await looks again and again until a comparison holds. It proves nothing by itself: past the
// deadline the scenario is inconclusive, and says what was there instead.
func await(ctx context.Context, on observer, step *scenario.Await) error {
	bounded, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	looking := &scenario.Check{
		At: step.At, Within: on.Scenario().Limit(),
		Subject: step.Subject, Comparison: step.Comparison,
	}
	var lines []check.Line
	err := clock.Until(bounded, func(context.Context) (bool, error) {
		hopeless := nothingCanChange(on)
		var err error
		lines, err = evaluate(ctx, on, looking)
		held := check.Worst(verdicts(lines)...) == check.Pass
		if err == nil && !held && hopeless {
			return false, errAllEnded
		}
		return held, err
	})
	if err == nil {
		return nil
	}
	if bounded.Err() == nil && !errors.Is(err, errAllEnded) {
		return err
	}
	seen := make([]string, 0, len(lines))
	for _, line := range lines {
		seen = append(seen, line.Statement())
		seen = append(seen, check.Explain(line)...)
	}
	seen = append(seen, livingWorkers(on)...)
	return stage.Inconclusive{Reason: fmt.Sprintf("await: %v", err), Seen: seen}
}

// errAllEnded ends a wait that has become hopeless before its deadline.
var errAllEnded = errors.New("every worker has ended, and it does not hold")

// nothingCanChange tells whether nobody is left who could bring about what is awaited: every worker
// has ended, and time does not pass in the databases.
func nothingCanChange(on observer) bool {
	all := on.Workers()
	if len(all) == 0 || on.Scenario().ClockMode() != scenario.ClockFrozen {
		return false
	}
	for _, worker := range all {
		if !worker.HasEnded() {
			return false
		}
	}
	return true
}

// crew are all workers of a stage.
type crew interface {
	Workers() []*stage.Worker
}

// livingWorkers shows the last lines of the workers that still run, or ran last.
func livingWorkers(on crew) []string {
	var lines []string
	for _, worker := range on.Workers() {
		if !worker.HasEnded() {
			lines = append(lines, worker.LastLines()...)
		}
	}
	return lines
}
