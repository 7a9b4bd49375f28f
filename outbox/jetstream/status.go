package jetstream

import (
	"context"
	"fmt"

	broker "github.com/nats-io/nats.go/jetstream"

	"lostreply/outbox"
)

// Status asks the broker. A cluster that is choosing a leader is waited for.
func (c *Connection) Status(ctx context.Context) (outbox.BrokerStatus, error) {
	client, err := c.open()
	if err != nil {
		return outbox.BrokerStatus{}, err
	}
	kept, err := askStream(ctx, client, stream, subject)
	if err != nil {
		return outbox.BrokerStatus{}, err
	}
	dead, err := askStream(ctx, client, deadStream, deadSubject)
	if err != nil {
		return outbox.BrokerStatus{}, err
	}
	consumer, err := askConsumer(ctx, client)
	if err != nil {
		return outbox.BrokerStatus{}, err
	}
	return outbox.BrokerStatus{
		Messages: kept.State.Subjects[subject], Dead: dead.State.Subjects[deadSubject],
		Pending: consumer.NumPending, AckPending: consumer.NumAckPending,
		StreamLeader: leaderOf(kept.Cluster), ConsumerLeader: leaderOf(consumer.Cluster),
	}, nil
}

// askStream asks about a stream, and about how many messages it keeps under a subject. Only its
// leader answers.
func askStream(
	ctx context.Context, client broker.JetStream, name, subject string,
) (info *broker.StreamInfo, err error) {
	err = patiently(ctx, func(ctx context.Context) error {
		found, err := client.Stream(ctx, name)
		if err != nil {
			return err
		}
		if info, err = found.Info(ctx, broker.WithSubjectFilter(subject)); err != nil {
			return err
		}
		return led(info.Cluster)
	})
	if err != nil {
		return nil, fmt.Errorf("ask about stream %s: %w", name, err)
	}
	return info, nil
}

// askConsumer asks about the consumer. Only its leader answers.
func askConsumer(
	ctx context.Context, client broker.JetStream,
) (info *broker.ConsumerInfo, err error) {
	err = patiently(ctx, func(ctx context.Context) error {
		found, err := client.Consumer(ctx, stream, consumerName)
		if err != nil {
			return err
		}
		if info, err = found.Info(ctx); err != nil {
			return err
		}
		return led(info.Cluster)
	})
	if err != nil {
		return nil, fmt.Errorf("ask about consumer %s: %w", consumerName, err)
	}
	return info, nil
}

// leaderOf is the name of a group's leader; empty where the broker is alone.
func leaderOf(group *broker.ClusterInfo) string {
	if alone(group) {
		return ""
	}
	return group.Leader
}

// alone tells whether the broker is in no cluster. It names itself as a leader even so, of some of
// what it keeps.
func alone(group *broker.ClusterInfo) bool { return group == nil || group.Name == "" }
