// Command dispatcher creates notifications, works on their delivery, and takes in what a person
// found out about a delivery whose outcome is unknown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"lostreply/dispatcher"
)

// The exit codes.
const (
	exitDone  = 0
	exitError = 1
	exitUsage = 2
)

const usage = `usage: dispatcher COMMAND [FLAGS]

  create   write a notification and its delivery tasks, one for each channel the user has enabled
  work     claim due tasks, call their channels, write the outcomes
  resolve  settle a task that is parked for review

dispatcher COMMAND --help prints the flags of a command.

Environment:
  DATABASE_URL    the PostgreSQL database, which has the tables of schema.sql
  CHANNEL_URL     for each channel its base URL, CHANNEL being its name in capitals with - as _:
                  PUSH_URL, SMS_URL. A channel without URL is not served.
  CHANNELS        contracts of channels other than the known ones, or in place of them, as JSON.
                  The known ones, written out:
` + "                  " + knownChannels + `
                  mode: IDEMPOTENT, QUERYABLE or NEITHER. before_acceptance: the statuses that
                  the channel promises to return only before it accepts; 5xx is HTTP_5XX, 429
                  THROTTLED, any other 4xx REJECTED; "retry_after": true honours that header.
                  query, for a QUERYABLE channel: {"sees_at_once": true} or {"settle": "30s"}.
                  "url" may take the place of the variable.
  WORKER_NAME     the worker's name, where --name does not give it

Exit: 0 done, 1 error, 2 usage.
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
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	}
	fmt.Fprintf(p.errors, "dispatcher: %v\n", err)
	if isUsage(err) {
		return exitUsage
	}
	return exitError
}

func isUsage(err error) bool {
	return errors.Is(err, errUsage) || errors.Is(err, dispatcher.ErrInvalid) ||
		errors.Is(err, dispatcher.ErrSettings) || errors.Is(err, dispatcher.ErrContract)
}

func (p program) dispatch(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("%w: a command is needed: create, work or resolve (see --help)", errUsage)
	}
	command, rest := arguments[0], arguments[1:]
	switch command {
	case "create":
		return p.create(ctx, rest)
	case "work":
		return p.work(ctx, rest)
	case "resolve":
		return p.resolve(ctx, rest)
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(p.output, usage)
		return err
	}
	return fmt.Errorf("%w: no command %q; there are create, work and resolve", errUsage, command)
}

// flags makes the flag set of a command; what it has to say about the command line is told as an
// error, only help is printed.
func (p program) flags(command string) *flag.FlagSet {
	set := flag.NewFlagSet("dispatcher "+command, flag.ContinueOnError)
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

// session is the database of the environment.
func (p program) session() (*dispatcher.Session, error) {
	url := p.environment("DATABASE_URL")
	if url == "" {
		return nil, fmt.Errorf("%w: DATABASE_URL is not set", errUsage)
	}
	return dispatcher.NewSession(url), nil
}
