// Package verb executes the steps of a scenario. There is one file for each step; each takes the
// narrow interface that it needs of a stage and gives the lines that it adds to the result.
package verb

import (
	"context"
	"fmt"

	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
)

// Do carries out one step. Its error is stage.Inconclusive when the step proves nothing, else
// trouble of the harness; a failure of the system is an entry, not an error.
func Do(ctx context.Context, on *stage.Stage, step scenario.Step) ([]result.Entry, error) {
	switch body := step.Body.(type) {
	case *scenario.Advance:
		return nil, advance(ctx, on, body)
	case *scenario.Await:
		return nil, await(ctx, on, body)
	case *scenario.Blackhole:
		return nil, blackhole(ctx, on, body)
	case *scenario.Check:
		return checkStep(ctx, on, body)
	case *scenario.Continue:
		return nil, resume(ctx, on, body)
	case *scenario.DatabaseStep:
		return nil, database(ctx, on, body)
	case *scenario.Fail:
		return nil, fail(ctx, on, body)
	case *scenario.Hold:
		return hold(ctx, on, body)
	case *scenario.Kill:
		return nil, kill(ctx, on, body)
	case *scenario.Note:
		return note(ctx, on, body)
	case *scenario.Refuse:
		return nil, refuse(on, body)
	case *scenario.Release:
		return nil, release(ctx, on, body)
	case *scenario.Run:
		return run(ctx, on, body)
	case *scenario.Schedule:
		return schedule(ctx, on, body)
	case *scenario.Sever:
		return nil, sever(ctx, on, body)
	case *scenario.SQL:
		return nil, sql(ctx, on, body)
	case *scenario.Start:
		return nil, start(ctx, on, body)
	case *scenario.Stop:
		return nil, stop(ctx, on, body)
	case *scenario.Wait:
		return wait(ctx, on, body)
	default:
		return nil, fmt.Errorf("step %s has no verb", step.Kind)
	}
}
