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

// NewConnection makes a Connection to the broker that url names, or to the first that answers of
// several, with commas between them; it opens nothing yet.
func NewConnection(url string) *Connection { return &Connection{url: url} }

// open gives the broker's interface, on a new connection if there is none that works.
func (c *Connection) open() (broker.JetStream, error) {
	if c.nats == nil || !c.nats.IsConnected() {
		c.Close()
		connection, err := nats.Connect(c.url, nats.NoReconnect(), nats.DontRandomize())
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
