package jetstream

import (
	"context"
	"fmt"
	"time"

	broker "github.com/nats-io/nats.go/jetstream"
)

// Settings are what the broker is set up with.
type Settings struct {
	Window  time.Duration // within which a repeated message id is dropped; 100 ms at least
	AckWait time.Duration // after which an unacknowledged message comes again
	// Replicas is on how many nodes of a cluster everything is kept; 0 and 1 mean one.
	Replicas int
}

// Setup makes the streams and the consumer, or changes them to these settings. It waits until every
// one of them has a leader.
func (c *Connection) Setup(ctx context.Context, settings Settings) error {
	client, err := c.open()
	if err != nil {
		return err
	}
	for _, config := range []broker.StreamConfig{
		{Name: stream, Subjects: []string{subject, probeSubject}},
		{Name: deadStream, Subjects: []string{deadSubject}},
	} {
		config.Storage, config.Duplicates = broker.FileStorage, settings.Window
		config.Replicas = max(settings.Replicas, 1)
		err := patiently(ctx, func(ctx context.Context) error {
			_, err := client.CreateOrUpdateStream(ctx, config)
			return err
		})
		if err != nil {
			return fmt.Errorf("set up stream %s: %w", config.Name, err)
		}
	}
	err = patiently(ctx, func(ctx context.Context) error {
		_, err := client.CreateOrUpdateConsumer(ctx, stream, broker.ConsumerConfig{
			Durable: consumerName, FilterSubject: subject, AckPolicy: broker.AckExplicitPolicy,
			AckWait: settings.AckWait, MaxDeliver: -1,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("set up consumer %s: %w", consumerName, err)
	}
	_, err = c.Status(ctx)
	return err
}
