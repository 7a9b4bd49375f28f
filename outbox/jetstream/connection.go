package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"
)

// The names that everybody at the broker agrees on.
const (
	stream       = "OUTBOX"
	deadStream   = "OUTBOX_DEAD"
	consumerName = "receiver"
	subject      = "outbox.message"
	probeSubject = "outbox.probe"
	deadSubject  = "outbox.dead"
)

// Connection is one connection to the broker that is opened when it is first needed and again
// after it was lost. It is for one user at a time. It does not reconnect behind its user's back:
// what was on its way when it was lost is an error, and settled anew.
type Connection struct {
	url  string
	nats *nats.Conn
}

// NewConnection makes a Connection to the broker that url names; it opens nothing yet.
func NewConnection(url string) *Connection { return &Connection{url: url} }

// open gives the broker's interface, on a new connection if there is none that works.
func (c *Connection) open() (broker.JetStream, error) {
	if c.nats == nil || !c.nats.IsConnected() {
		c.Close()
		connection, err := nats.Connect(c.url, nats.NoReconnect())
		if err != nil {
			return nil, fmt.Errorf("connect to the broker: %w", err)
		}
		c.nats = connection
	}
	return broker.New(c.nats)
}

// Close ends the connection, if there is one.
func (c *Connection) Close() {
	if c.nats != nil {
		c.nats.Close()
	}
}

// Times are what the broker is set up with.
type Times struct {
	Window  time.Duration // within which a repeated message id is dropped; 100 ms at least
	AckWait time.Duration // after which an unacknowledged message comes again
}

// Setup makes the streams and the consumer, or changes them to these times.
func (c *Connection) Setup(ctx context.Context, times Times) error {
	client, err := c.open()
	if err != nil {
		return err
	}
	for _, config := range []broker.StreamConfig{
		{
			Name: stream, Subjects: []string{subject, probeSubject}, Storage: broker.FileStorage,
			Duplicates: times.Window,
		},
		{
			Name: deadStream, Subjects: []string{deadSubject}, Storage: broker.FileStorage,
			Duplicates: times.Window,
		},
	} {
		if _, err := client.CreateOrUpdateStream(ctx, config); err != nil {
			return fmt.Errorf("set up stream %s: %w", config.Name, err)
		}
	}
	_, err = client.CreateOrUpdateConsumer(ctx, stream, broker.ConsumerConfig{
		Durable: consumerName, FilterSubject: subject, AckPolicy: broker.AckExplicitPolicy,
		AckWait: times.AckWait, MaxDeliver: -1,
	})
	if err != nil {
		return fmt.Errorf("set up consumer %s: %w", consumerName, err)
	}
	return nil
}

// Status is what the broker says of itself.
type Status struct {
	Messages   uint64 // kept in the stream
	Pending    uint64 // never delivered; it lags a little behind Messages
	AckPending int    // delivered, and not acknowledged
	Dead       uint64 // dead letters
}

// Status asks the broker.
func (c *Connection) Status(ctx context.Context) (Status, error) {
	client, err := c.open()
	if err != nil {
		return Status{}, err
	}
	messages, err := count(ctx, client, stream, subject)
	if err != nil {
		return Status{}, err
	}
	dead, err := count(ctx, client, deadStream, deadSubject)
	if err != nil {
		return Status{}, err
	}
	consumer, err := client.Consumer(ctx, stream, consumerName)
	if err != nil {
		return Status{}, fmt.Errorf("find consumer %s: %w", consumerName, err)
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("ask about consumer %s: %w", consumerName, err)
	}
	return Status{messages, info.NumPending, info.NumAckPending, dead}, nil
}

// count tells how many messages a stream keeps under a subject.
func count(ctx context.Context, client broker.JetStream, name, subject string) (uint64, error) {
	found, err := client.Stream(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("find stream %s: %w", name, err)
	}
	info, err := found.Info(ctx, broker.WithSubjectFilter(subject))
	if err != nil {
		return 0, fmt.Errorf("ask about stream %s: %w", name, err)
	}
	return info.State.Subjects[subject], nil
}

// errStopped is what a wait for the broker ends with.
var errStopped = errors.New("the broker did not come to it in time")

// OutlastWindow returns when the broker has forgotten the ids of all messages that it got before.
// It asks the broker itself: a probe is sent again and again until it counts as new once more.
func (c *Connection) OutlastWindow(ctx context.Context) error {
	client, err := c.open()
	if err != nil {
		return err
	}
	id := nats.NewInbox()
	for forgotten := -1; forgotten < 1; {
		ack, err := client.Publish(ctx, probeSubject, nil, broker.WithMsgID(id))
		if err != nil {
			return fmt.Errorf("%w: send a probe: %w", errStopped, err)
		}
		if !ack.Duplicate {
			forgotten++
			continue
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// betweenProbes is how long to wait before the broker is asked again.
const betweenProbes = 5 * time.Millisecond

func rest(ctx context.Context) error {
	timer := time.NewTimer(betweenProbes)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errStopped, ctx.Err())
	case <-timer.C:
		return nil
	}
}
