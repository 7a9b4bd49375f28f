package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Source gives deliveries.
type Source interface {
	// Take returns a delivery that nobody else has until it is ended or released; nil when none is
	// due.
	Take(ctx context.Context) (Delivery, error)
}

// Delivery is one physical delivery of a message. It is ended by exactly one of Ack, PutOff and
// Bury.
type Delivery interface {
	// ID names this physical delivery.
	ID() string
	Message() Message
	// Failures is how many attempts at it have failed.
	Failures() int
	// Ack tells the transport that it is done.
	Ack(ctx context.Context) error
	// PutOff gives it back for another attempt after the delay, with one more failure.
	PutOff(ctx context.Context, delay time.Duration, reason error) error
	// Bury makes it a dead letter: kept, countable, and not in the way of others.
	Bury(ctx context.Context, why Reason, detail error) error
	// Release gives it back as it was. After an end it does nothing.
	Release(ctx context.Context)
}

// Consumer moves deliveries from a transport into an inbox. It is for one user at a time; any
// number of consumers can work side by side.
type Consumer struct {
	source   Source
	inbox    *Inbox
	settings Settings
}

// NewConsumer makes a consumer; the error is ErrSettings.
func NewConsumer(source Source, inbox *Inbox, settings Settings) (*Consumer, error) {
	if err := settings.validate(); err != nil {
		return nil, err
	}
	return &Consumer{source: source, inbox: inbox, settings: settings}, nil
}

// ConsumeOnce handles one delivery: it is taken, booked in a committed transaction, and only then
// acknowledged. The result is NOTHING when none is due, BOOKED or DUPLICATE, or with an error that
// says why: CONFLICT (the error is ErrConflict), BURIED or PUT_OFF. After an error without a result
// the delivery comes again.
func (c *Consumer) ConsumeOnce(ctx context.Context) (Result, error) {
	taking, cancel := context.WithTimeout(ctx, c.settings.Timeout)
	defer cancel()
	delivery, err := c.source.Take(taking)
	if err != nil {
		return "", err
	}
	if delivery == nil {
		c.settings.say("RESULT %s", Nothing)
		return Nothing, nil
	}
	return c.Handle(ctx, delivery)
}

// Handle is ConsumeOnce for a delivery that was taken already.
func (c *Consumer) Handle(ctx context.Context, delivery Delivery) (Result, error) {
	defer delivery.Release(ctx)
	c.settings.say("TAKEN delivery=%s msg=%s failures=%d",
		delivery.ID(), delivery.Message().ID, delivery.Failures())
	result, err := c.receive(ctx, delivery.Message())
	if err != nil {
		return c.fail(ctx, delivery, err)
	}
	c.settings.say("RECEIVED msg=%s %s", delivery.Message().ID, result)
	return c.end(ctx, result, nil, delivery.Ack)
}

func (c *Consumer) receive(ctx context.Context, message Message) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.settings.Timeout)
	defer cancel()
	return c.inbox.Receive(ctx, message)
}

// fail decides what becomes of a delivery that was not received. What no further attempt can mend
// is buried at once.
func (c *Consumer) fail(ctx context.Context, delivery Delivery, reason error) (Result, error) {
	failures := delivery.Failures() + 1
	bury := func(why Reason) func(context.Context) error {
		return func(ctx context.Context) error { return delivery.Bury(ctx, why, reason) }
	}
	switch {
	case errors.Is(reason, ErrConflict):
		return c.end(ctx, Conflict, reason, bury(ReasonConflict))
	case errors.Is(reason, ErrUnreadable):
		return c.end(ctx, Buried, reason, bury(ReasonUnreadable))
	case failures >= c.settings.MaxFailures:
		return c.end(ctx, Buried, reason, bury(ReasonFailures))
	}
	return c.end(ctx, PutOff, reason, func(ctx context.Context) error {
		return delivery.PutOff(ctx, c.settings.delay(failures), reason)
	})
}

// end ends the delivery. It gets a time of its own: what went before may have used up its own.
func (c *Consumer) end(
	ctx context.Context, result Result, reason error, ending func(context.Context) error,
) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.settings.Timeout)
	defer cancel()
	err := ending(ctx)
	switch {
	case err != nil && reason != nil:
		return "", fmt.Errorf("%w; after: %w", err, reason)
	case err != nil:
		return "", err
	}
	c.settings.say("RESULT %s", result)
	return result, reason
}
