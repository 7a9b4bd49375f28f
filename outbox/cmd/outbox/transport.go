package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lostreply/outbox"
	"lostreply/outbox/jetstream"
)

// The transports.
const (
	transportSQL       = "sql"
	transportJetStream = "jetstream"
)

func transportFlag(set *flag.FlagSet) *string {
	return set.String("transport", transportSQL,
		"what carries messages: sql (QUEUE_URL) or jetstream (NATS_URL or NATS_URL_FILE)")
}

// carrier is a transport with both its ends.
type carrier interface {
	outbox.Transport
	outbox.Source
}

// carrier is the transport of that name, and what ends it.
func (p program) carrier(name string) (carrier, func(context.Context), error) {
	switch name {
	case transportSQL:
		session, err := p.session("QUEUE_URL")
		if err != nil {
			return nil, nil, err
		}
		return outbox.NewQueue(session), func(ctx context.Context) { _ = session.Close(ctx) }, nil
	case transportJetStream:
		connection, err := p.broker()
		if err != nil {
			return nil, nil, err
		}
		return connection, func(context.Context) { connection.Close() }, nil
	}
	return nil, nil, fmt.Errorf("%w: --transport %s; there are %s and %s",
		errUsage, name, transportSQL, transportJetStream)
}

// broker is the JetStream broker of the environment.
func (p program) broker() (*jetstream.Connection, error) {
	if url := p.environment("NATS_URL"); url != "" {
		return jetstream.NewConnection(url), nil
	}
	file := p.environment("NATS_URL_FILE")
	if file == "" {
		return nil, fmt.Errorf("%w: neither NATS_URL nor NATS_URL_FILE is set", errUsage)
	}
	urls, err := readURLs(file)
	if err != nil {
		return nil, fmt.Errorf("read where the broker is: %w", err)
	}
	return jetstream.NewConnection(strings.Join(urls, ",")), nil
}

// readURLs reads a file that holds a broker's URL, or a folder of them: one for each node of a
// cluster.
func readURLs(file string) ([]string, error) {
	entries, err := os.ReadDir(file)
	if err != nil {
		url, err := os.ReadFile(file)
		return []string{strings.TrimSpace(string(url))}, err
	}
	var urls []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		of, err := readURLs(filepath.Join(file, entry.Name()))
		if err != nil {
			return nil, err
		}
		urls = append(urls, of...)
	}
	if len(urls) == 0 {
		return nil, fmt.Errorf("no file is in %s", file)
	}
	return urls, nil
}

const (
	defaultWindow  = 2 * time.Minute
	defaultAckWait = time.Minute
)

// setUp makes the broker's streams.
func (p program) setUp(ctx context.Context, arguments []string) error {
	set := p.flags("set-up")
	var times jetstream.Settings
	set.DurationVar(&times.Window, "window", defaultWindow,
		"how long the broker drops repeated message ids")
	set.DurationVar(&times.AckWait, "ack-wait", defaultAckWait,
		"when an unacknowledged message comes again; longer than any consumer's work on one")
	set.IntVar(&times.Replicas, "replicas", 1, "on how many nodes of a cluster everything is kept")
	return p.atBroker(ctx, set, arguments, func(ctx context.Context, c *jetstream.Connection) error {
		if err := c.Setup(ctx, times); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.output, "SET UP window=%s ack_wait=%s\n", times.Window, times.AckWait)
		return err
	})
}

// outlast waits until the broker's duplicate window is over.
func (p program) outlast(ctx context.Context, arguments []string) error {
	set := p.flags("outlast")
	return p.atBroker(ctx, set, arguments, func(ctx context.Context, c *jetstream.Connection) error {
		if err := c.OutlastWindow(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(p.output, "WINDOW OVER")
		return err
	})
}

// status tells what the broker says of itself.
func (p program) status(ctx context.Context, arguments []string) error {
	set := p.flags("status")
	record := set.Bool("record", false, "write it to the database of STATUS_URL (schema/observed.sql)")
	return p.atBroker(ctx, set, arguments, func(ctx context.Context, c *jetstream.Connection) error {
		status, err := c.Status(ctx)
		if err != nil {
			return err
		}
		if *record {
			if err := p.record(ctx, status); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(p.output, "BROKER messages=%d pending=%d ack_pending=%d dead=%d\n",
			status.Messages, status.Pending, status.AckPending, status.Dead)
		return err
	})
}

// lead makes one node of a cluster the leader.
func (p program) lead(ctx context.Context, arguments []string) error {
	set := p.flags("lead")
	node := set.String("node", "", "the node")
	return p.atBroker(ctx, set, arguments, func(ctx context.Context, c *jetstream.Connection) error {
		if err := c.Lead(ctx, *node); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.output, "LEADER %s\n", *node)
		return err
	})
}

func (p program) record(ctx context.Context, status outbox.BrokerStatus) error {
	session, err := p.session("STATUS_URL")
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	return outbox.RecordStatus(ctx, session, status)
}

// atBroker parses a role's flags and does its work, within the default timeout.
func (p program) atBroker(
	ctx context.Context, set *flag.FlagSet, arguments []string,
	work func(context.Context, *jetstream.Connection) error,
) error {
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	connection, err := p.broker()
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	return work(ctx, connection)
}
