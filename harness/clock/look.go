package clock

import (
	"context"
	"time"
)

// NextLook waits until a condition that can announce only some of its changes is worth another
// look: until changed is closed, which it tells, or PollInterval has passed. Its error is the
// context's cause.
func NextLook(ctx context.Context, changed <-chan struct{}) (announced bool, err error) {
	timer := time.NewTimer(PollInterval)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-changed:
		return true, nil
	case <-timer.C:
		return false, nil
	}
}
