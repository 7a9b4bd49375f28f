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
		hopeless := nothingCanChange(on, step.Subject.Worker)
		var err error
		lines, err = evaluate(ctx, on, looking)
		held := check.Worst(verdicts(lines)...) == check.Pass
		if err == nil && !held && hopeless != nil {
			return false, hopeless
		}
		return held, err
	})
	if err == nil {
		return nil
	}
	if bounded.Err() == nil && !errors.Is(err, errAllEnded) && !errors.Is(err, errTheyEnded) {
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

// These end a wait that has become hopeless before its deadline.
var (
	errAllEnded  = errors.New("every worker has ended, and it does not hold")
	errTheyEnded = errors.New("what it looks at has ended, and it does not hold")
)

// nothingCanChange tells why nobody is left who could bring about what is awaited, or nil: the
// workers that are looked at have ended; or all have, and time does not pass in the databases.
func nothingCanChange(on observer, lookedAt scenario.Names) error {
	if haveEnded(on, lookedAt) {
		return errTheyEnded
	}
	all := on.Workers()
	if len(all) == 0 || on.Scenario().ClockMode() != scenario.ClockFrozen {
		return nil
	}
	for _, worker := range all {
		if !worker.HasEnded() {
			return nil
		}
	}
	return errAllEnded
}

// haveEnded tells whether there are such workers and none of them runs, so that neither what they
// have printed nor how they ended can change.
func haveEnded(on workers, names scenario.Names) bool {
	for _, name := range names {
		if worker, err := on.Worker(name.Value); err != nil || !worker.HasEnded() {
			return false
		}
	}
	return len(names) > 0
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
