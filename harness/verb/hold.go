package verb

import (
	"context"

	"lostreply/harness/event"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// holder waits for holds.
type holder interface {
	AwaitHold(ctx context.Context, hold *scenario.Hold) (event.Event, error)
}

// hold waits until the event is stopped, and says which event it was: a fault that fired elsewhere
// than was meant must be seen.
func hold(ctx context.Context, on holder, step *scenario.Hold) ([]result.Entry, error) {
	held, err := on.AwaitHold(ctx, step)
	if err != nil {
		return nil, err
	}
	for _, address := range held.Addresses() {
		if address.Event == step.Event.Value {
			return []result.Entry{{Kind: result.Held, Text: address.String(), At: at(step.At)}}, nil
		}
	}
	return nil, nil
}
