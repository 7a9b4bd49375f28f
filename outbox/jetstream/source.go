package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"

	"lostreply/outbox"
)

// pull is how long the broker keeps one request for a message before it is looked again whether any
// can come.
const pull = 250 * time.Millisecond

// Take implements outbox.Source. It returns nil only when every message has been delivered and
// nothing is unacknowledged: while another consumer has a message, it waits for what becomes of it.
func (c *Connection) Take(ctx context.Context) (outbox.Delivery, error) {
	client, err := c.open()
	if err != nil {
		return nil, err
	}
	consumer, err := client.Consumer(ctx, stream, consumerName)
	if err != nil {
		return nil, fmt.Errorf("find consumer %s: %w", consumerName, err)
	}
	for {
		if done, err := exhausted(ctx, client, consumer); done || err != nil {
			return nil, err
		}
		message, err := consumer.Next(broker.FetchMaxWait(pull))
		if err == nil {
			return c.delivery(message)
		}
		if !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, broker.ErrNoMessages) {
			return nil, fmt.Errorf("take a message: %w", err)
		}
	}
}

// exhausted tells whether nothing can come. What the consumer counts as pending lags a little
// behind what the stream has answered for, so the stream is asked for its last message first.
func exhausted(
	ctx context.Context, client broker.JetStream, consumer broker.Consumer,
) (bool, error) {
	found, err := client.Stream(ctx, stream)
	if err != nil {
		return false, fmt.Errorf("find stream %s: %w", stream, err)
	}
	var lastPlace uint64
	last, err := found.GetLastMsgForSubject(ctx, subject)
	switch {
	case err == nil:
		lastPlace = last.Sequence
	case !errors.Is(err, broker.ErrMsgNotFound):
		return false, fmt.Errorf("ask for the last message: %w", err)
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return false, fmt.Errorf("ask about consumer %s: %w", consumerName, err)
	}
	return info.NumPending == 0 && info.NumAckPending == 0 && info.Delivered.Stream >= lastPlace, nil
}

func (c *Connection) delivery(message broker.Msg) (outbox.Delivery, error) {
	metadata, err := message.Metadata()
	if err != nil {
		return nil, fmt.Errorf("read the delivery's metadata: %w", err)
	}
	return &delivery{
		connection: c, message: message,
		place: metadata.Sequence.Stream, delivered: metadata.NumDelivered,
	}, nil
}

// delivery is a message that the broker does not give to others until it is ended, or AckWait over.
type delivery struct {
	connection *Connection
	message    broker.Msg
	place      uint64 // in the stream
	delivered  uint64 // how often, this time included
	ended      bool
}

// ID implements outbox.Delivery: place in the stream, and how often it was delivered.
func (d *delivery) ID() string { return fmt.Sprintf("%d.%d", d.place, d.delivered) }

func (d *delivery) Message() outbox.Message {
	return outbox.Message{
		ID: d.message.Headers().Get(broker.MsgIDHeader), Payload: string(d.message.Data()),
	}
}

// Failures implements outbox.Delivery: every earlier delivery came to nothing.
func (d *delivery) Failures() int { return int(d.delivered) - 1 }

// Ack implements outbox.Delivery.
func (d *delivery) Ack(ctx context.Context) error {
	return d.end(ctx, "acknowledge", "+ACK")
}

// PutOff implements outbox.Delivery. The broker keeps no reason.
func (d *delivery) PutOff(ctx context.Context, delay time.Duration, _ error) error {
	return d.end(ctx, "put off", fmt.Sprintf(`-NAK {"delay": %d}`, delay.Nanoseconds()))
}

// Bury implements outbox.Delivery. The letter is kept before the delivery is ended; a crash between
// makes it come again, and the letter's id keeps it one within the duplicate window.
func (d *delivery) Bury(ctx context.Context, why outbox.Reason, detail error) error {
	client, err := d.connection.open()
	if err != nil {
		return err
	}
	letter := nats.NewMsg(deadSubject)
	letter.Data = d.message.Data()
	letter.Header.Set("Outbox-Message", d.Message().ID)
	letter.Header.Set("Outbox-Reason", string(why))
	letter.Header.Set("Outbox-Error", detail.Error())
	id := fmt.Sprintf("dead-%d", d.place)
	if _, err := client.PublishMsg(ctx, letter, broker.WithMsgID(id)); err != nil {
		return fmt.Errorf("keep delivery %s as a dead letter: %w", d.ID(), err)
	}
	return d.end(ctx, "bury", "+TERM "+string(why))
}

// end tells the broker what becomes of the delivery, and waits for it to confirm that: the broker
// answers whatever is said of a delivery, where an answer is asked for.
func (d *delivery) end(ctx context.Context, what, answer string) error {
	_, err := d.connection.nats.RequestWithContext(ctx, d.message.Reply(), []byte(answer))
	if err != nil {
		return fmt.Errorf("%s delivery %s (it may come again): %w", what, d.ID(), err)
	}
	d.ended = true
	return nil
}

// Release implements outbox.Delivery. Where the broker does not hear it, AckWait does the same.
func (d *delivery) Release(context.Context) {
	if !d.ended {
		d.ended = true
		_ = d.message.Nak()
	}
}
