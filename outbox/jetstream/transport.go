package jetstream

import (
	"context"
	"fmt"
	"strconv"

	broker "github.com/nats-io/nats.go/jetstream"

	"lostreply/outbox"
)

// Send implements outbox.Transport. The id is the message's place in the stream. A message that the
// broker dropped as a repetition has the place of the first, with "(known)" behind it.
func (c *Connection) Send(ctx context.Context, message outbox.Message) (string, error) {
	client, err := c.open()
	if err != nil {
		return "", err
	}
	ack, err := client.Publish(ctx, subject, []byte(message.Payload), broker.WithMsgID(message.ID))
	if err != nil {
		return "", fmt.Errorf("publish to %s: %w", subject, err)
	}
	id := strconv.FormatUint(ack.Sequence, 10)
	if ack.Duplicate {
		id += "(known)"
	}
	return id, nil
}
