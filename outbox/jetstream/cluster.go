package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"
)

// Lead makes a node the leader of both streams and of the consumer. It returns when the cluster
// says so.
func (c *Connection) Lead(ctx context.Context, node string) error {
	client, err := c.open()
	if err != nil {
		return err
	}
	for {
		moved, err := c.move(ctx, client, node)
		if err != nil || !moved {
			return err
		}
		if err := rest(ctx); err != nil {
			return fmt.Errorf("make %s the leader: %w", node, err)
		}
	}
}

// move asks every leader that is not the node to step down for it, and tells whether there was one.
// A refusal is no error: a node that lags behind is not chosen, and asked for again.
func (c *Connection) move(
	ctx context.Context, client broker.JetStream, node string,
) (moved bool, err error) {
	var groups []struct{ of, leader string }
	for _, name := range []string{stream, deadStream} {
		info, err := askStream(ctx, client, name, "")
		if err != nil {
			return false, err
		}
		groups = append(groups, struct{ of, leader string }{
			"STREAM.LEADER.STEPDOWN." + name, leaderOf(info.Cluster)})
	}
	consumer, err := askConsumer(ctx, client)
	if err != nil {
		return false, err
	}
	groups = append(groups, struct{ of, leader string }{
		"CONSUMER.LEADER.STEPDOWN." + stream + "." + consumerName, leaderOf(consumer.Cluster)})
	for _, one := range groups {
		if one.leader == "" {
			return false, errors.New("the broker is alone: there is nothing to lead")
		}
		if one.leader == node {
			continue
		}
		moved = true
		asking, enough := context.WithTimeout(ctx, answerLimit)
		_, err := c.nats.RequestWithContext(asking, broker.DefaultAPIPrefix+one.of,
			[]byte(fmt.Sprintf(`{"placement": {"preferred": %q}}`, node)))
		enough()
		if err != nil && !passes(err) {
			return false, fmt.Errorf("ask %s to step down for %s: %w", one.leader, node, err)
		}
	}
	return moved, nil
}

// answerLimit is how long one question to a cluster may go unanswered before it is asked again.
// While there is no leader, nobody answers.
const answerLimit = 2 * time.Second

// patiently asks until there is an answer, while the cluster has no leader or does not know all its
// nodes yet.
func patiently(ctx context.Context, ask func(context.Context) error) error {
	for {
		asking, enough := context.WithTimeout(ctx, answerLimit)
		err := ask(asking)
		enough()
		if err == nil || !passes(err) {
			return err
		}
		if rest(ctx) != nil {
			return fmt.Errorf("%w: %w", errStopped, err)
		}
	}
}

// errLeaderless is what a node answers that has just stepped down.
var errLeaderless = errors.New("the cluster has no leader for it")

// led tells whether a group has a leader; a broker that is alone needs none.
func led(group *broker.ClusterInfo) error {
	if !alone(group) && group.Leader == "" {
		return errLeaderless
	}
	return nil
}

// noPeers is the broker's error code of a cluster that does not see enough of its nodes.
const noPeers = 10005

// passes tells whether a failure is of a cluster that has no leader just now.
func passes(err error) bool {
	var refused *broker.APIError
	if errors.As(err, &refused) {
		return refused.Code == http.StatusServiceUnavailable || refused.ErrorCode == noPeers
	}
	return errors.Is(err, errLeaderless) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders)
}
