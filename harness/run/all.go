package run

import (
	"context"

	"lostreply/harness/check"
	"lostreply/harness/lab"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// All runs scenarios, at most parallel at once, and calls done with each result in the order of the
// scenarios, as soon as it and all before it are there. Those that sit out timeouts begin early. It
// stops early when ctx ends or done says so: then what was cut off in the middle is not reported.
// It returns how many were reported.
func All(
	ctx context.Context, in *lab.Lab, scenarios []*scenario.Scenario, parallel int,
	done func(result.Result) (goOn bool),
) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots := make(chan struct{}, max(parallel, 1))
	results := make([]chan result.Result, len(scenarios))
	for i := range results {
		results[i] = make(chan result.Result, 1)
	}
	go func() {
		order := newOrder(scenarios, parallel)
		for range scenarios {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
			}
			place, ended := order.next()
			if ctx.Err() != nil {
				close(results[place])
				continue
			}
			go func() {
				defer func() { ended(); <-slots }()
				results[place] <- One(ctx, in, scenarios[place])
				close(results[place])
			}()
		}
	}()
	reported := 0
	for _, each := range results {
		r, begun := <-each
		cutOff := ctx.Err() != nil && r.Verdict == check.Inconclusive
		if !begun || cutOff {
			continue
		}
		reported++
		if !done(r) {
			cancel()
		}
	}
	return reported
}
