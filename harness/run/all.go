package run

import (
	"context"
	"sync/atomic"

	"lostreply/harness/check"
	"lostreply/harness/lab"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// All runs scenarios, at most parallel at once, and calls done with each result in the order of the
// scenarios, as soon as it and all before it are there. Those that sit out timeouts begin early.
// None is begun after a result that enough is true of; nil is never enough. It stops early too when
// ctx ends: then what was cut off in the middle is not reported. It returns how many were reported.
func All(
	ctx context.Context, in *lab.Lab, scenarios []*scenario.Scenario, parallel int,
	enough func(result.Result) bool, done func(result.Result),
) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stop atomic.Bool
	slots := make(chan struct{}, max(parallel, 1))
	results := make([]chan result.Result, len(scenarios))
	for i := range results {
		results[i] = make(chan result.Result, 1)
	}
	go func() {
		order := newOrder(scenarios, parallel)
		for range scenarios {
			if !stop.Load() {
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
				}
			}
			place, ended := order.next()
			if ctx.Err() != nil || stop.Load() { // no slot is needed any more
				close(results[place])
				continue
			}
			go func() {
				defer func() { ended(); <-slots }() // the next one begins: it must know by then
				r := One(ctx, in, scenarios[place])
				if enough != nil && enough(r) {
					stop.Store(true)
				}
				results[place] <- r
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
		done(r)
		if enough != nil && enough(r) {
			cancel()
		}
	}
	return reported
}
