// Command outbox runs one role of the outbox and inbox pipeline: it accepts contracts, publishes
// their messages, consumes deliveries, and looks after what is left.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"lostreply/outbox"
)

// The exit codes.
const (
	exitDone     = 0
	exitError    = 1
	exitUsage    = 2
	exitConflict = 3
)

const usage = `usage: outbox ROLE [FLAGS]

  accept    write a contract and its message, in one transaction
  publish   send unsent messages
  consume   book deliveries
  conflict  deliver a payload under a message id by hand, and see whether it conflicts
  verify    count what the three databases hold, and compare it
  redrive   send dead letters again
  purge     forget messages that were processed long ago

With NATS JetStream as transport:

  set-up    make the broker's streams and consumer
  status    tell what the broker keeps, and what is not acknowledged
  outlast   wait until the broker has forgotten the message ids that it has seen
  lead      make one node of a cluster the leader of streams and consumer

outbox ROLE --help prints the flags of a role.

Environment:
  SENDER_URL    the database of contracts and unsent messages (schema/sender.sql)
  QUEUE_URL     the database that is the transport (schema/queue.sql)
  RECEIVER_URL  the database of inbox and ledger (schema/receiver.sql)
  NATS_URL      the broker that is the transport; or NATS_URL_FILE, a file that holds its URL, or
                a folder of such files, one for each node of a cluster
  STATUS_URL    the database that status --record writes to (schema/observed.sql)

Exit: 0 done, 1 an error, or a message was put off or buried, 2 usage, 3 a payload conflict.
`

// program is the command's surroundings.
type program struct {
	output      io.Writer
	errors      io.Writer
	environment func(string) string
}

// errUsage is a command line that can't be carried out.
var errUsage = errors.New("usage")

func main() {
	surroundings := program{output: os.Stdout, errors: os.Stderr, environment: os.Getenv}
	os.Exit(surroundings.run(context.Background(), os.Args[1:]))
}

func (p program) run(ctx context.Context, arguments []string) int {
	err := p.dispatch(ctx, arguments)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	p.complain(err)
	switch {
	case errors.Is(err, outbox.ErrConflict):
		return exitConflict
	case errors.Is(err, errUsage), errors.Is(err, outbox.ErrInvalid),
		errors.Is(err, outbox.ErrSettings):
		return exitUsage
	}
	return exitError
}

func (p program) complain(err error) { fmt.Fprintf(p.errors, "outbox: %v\n", err) }

func (p program) dispatch(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("%w: a role is needed: %s (see --help)", errUsage, roleNames)
	}
	name, rest := arguments[0], arguments[1:]
	switch name {
	case "accept":
		return p.accept(ctx, rest)
	case "publish":
		return p.publish(ctx, rest)
	case "consume":
		return p.consume(ctx, rest)
	case "conflict":
		return p.conflict(ctx, rest)
	case "verify":
		return p.verify(ctx, rest)
	case "redrive":
		return p.redrive(ctx, rest)
	case "purge":
		return p.purge(ctx, rest)
	case "set-up":
		return p.setUp(ctx, rest)
	case "status":
		return p.status(ctx, rest)
	case "outlast":
		return p.outlast(ctx, rest)
	case "lead":
		return p.lead(ctx, rest)
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(p.output, usage)
		return err
	}
	return fmt.Errorf("%w: no role %q; there are %s", errUsage, name, roleNames)
}

const roleNames = "accept, publish, consume, conflict, verify, redrive, purge, set-up, " +
	"status, outlast and lead"

// flags makes the flag set of a role; what it has to say about the command line is told as an
// error, only help is printed.
func (p program) flags(role string) *flag.FlagSet {
	set := flag.NewFlagSet("outbox "+role, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set
}

func (p program) parse(set *flag.FlagSet, arguments []string) error {
	err := set.Parse(arguments)
	if errors.Is(err, flag.ErrHelp) {
		set.SetOutput(p.output)
		fmt.Fprintf(p.output, "usage: %s [FLAGS]\n", set.Name())
		set.PrintDefaults()
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errUsage, set.Name(), err)
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%w: %s: unexpected argument %q", errUsage, set.Name(), set.Arg(0))
	}
	return nil
}

// session is a database that the environment names.
func (p program) session(variable string) (*outbox.Session, error) {
	url := p.environment(variable)
	if url == "" {
		return nil, fmt.Errorf("%w: %s is not set", errUsage, variable)
	}
	return outbox.NewSession(url), nil
}

// sessions are several; they are closed together.
func (p program) sessions(variables ...string) ([]*outbox.Session, func(context.Context), error) {
	sessions := make([]*outbox.Session, 0, len(variables))
	for _, variable := range variables {
		session, err := p.session(variable)
		if err != nil {
			return nil, nil, err
		}
		sessions = append(sessions, session)
	}
	return sessions, func(ctx context.Context) {
		for _, session := range sessions {
			_ = session.Close(ctx)
		}
	}, nil
}
