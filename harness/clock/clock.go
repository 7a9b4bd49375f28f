// Package clock is the only door to time in the harness: it bounds waits with deadlines and polls
// conditions that cannot announce themselves. No other package of the harness sleeps. A deadline
// here only bounds failure; it never decides what happens in a run.
package clock

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// PollInterval is how long Until waits between two looks at a condition that cannot announce itself
// (a row in a table, a socket that does not accept yet).
const PollInterval = 2 * time.Millisecond

// ErrDeadline is what a wait ends with when its deadline passed before its condition held.
var ErrDeadline = errors.New("deadline passed")

// Now is the machine's wall clock. It is for reports only and never part of a verdict.
func Now() time.Time { return time.Now() }

// Since is the time that passed since an earlier Now.
func Since(start time.Time) time.Duration { return time.Since(start) }

// WithDeadline bounds a wait: the context it returns ends with ErrDeadline as its cause when limit
// has passed. The cancel function must be called.
func WithDeadline(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %s", ErrDeadline, limit))
}

// Until looks at condition again and again until it holds, fails or the context ends. It returns
// nil when the condition held, the condition's own error, or the context's cause.
func Until(ctx context.Context, condition func(context.Context) (bool, error)) error {
	ticker := time.NewTicker(PollInterval)
	defer ticker.Stop()
	for {
		held, err := condition(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		if held {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// Delay is a reply's scripted delay (`after_ms` in a channel's script): the only wait for time in a
// run, and one that lint warns of. It returns the context's cause when the context ends first.
func Delay(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Every calls report again and again, an interval apart, until ctx ends. It is for telling people
// how far something is, and never part of a verdict.
func Every(ctx context.Context, interval time.Duration, report func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			report()
		}
	}
}
