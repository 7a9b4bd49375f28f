// Command relay passes events on to a sink and keeps account of what the sink has acknowledged.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"lostreply/relay"
)

// The exit codes: 2 and 3 are those of the contract.
const (
	exitDone     = 0
	exitError    = 1
	exitProblem  = 2
	exitContract = 3
	exitUsage    = 64 // EX_USAGE of sysexits.h
)

const usage = `usage: relay COMMAND --conf FOLDER [FLAGS]

  push     offer events, one JSON object a line, from a file or standard input
  run      deliver what is due, and take in the sink's ACKs
  collect  ask the sink for the ACKs of unacked items; nothing is delivered
  report   write the relay's figures to a file
  health   judge a report
  resolve  let a parked item be delivered again

relay COMMAND --help prints the flags of a command.

The contract is notifyd.env, topology.env and tenants.env in the folder; topology.env names the
environment variables that hold the addresses of the database (with the tables of schema.sql) and
of the sink.

Exit: 0 done, or all is well; 1 an error; 2 an event was refused, a problem, or a report that can't
be judged; 3 a contract that can't be used; 64 usage.
`

// program is the command's surroundings.
type program struct {
	input       io.Reader
	output      io.Writer
	errors      io.Writer
	environment func(string) string
}

var (
	// errUsage is a command line that can't be carried out.
	errUsage = errors.New("usage")
	// errProblem ends a command with status 2; what the problem is has been printed.
	errProblem = errors.New("problem")
)

func main() {
	surroundings := program{os.Stdin, os.Stdout, os.Stderr, os.Getenv}
	os.Exit(surroundings.run(context.Background(), os.Args[1:]))
}

func (p program) run(ctx context.Context, arguments []string) int {
	err := p.dispatch(ctx, arguments)
	var contract *relay.ContractError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitDone
	case errors.As(err, &contract):
		fmt.Fprintf(p.errors, "[FATAL] %v\n", err)
		return exitContract
	case errors.Is(err, errProblem):
		return exitProblem
	}
	fmt.Fprintf(p.errors, "relay: %v\n", err)
	switch {
	case errors.Is(err, relay.ErrNoReport):
		return exitProblem
	case errors.Is(err, errUsage), errors.Is(err, relay.ErrSettings):
		return exitUsage
	}
	return exitError
}

func (p program) dispatch(ctx context.Context, arguments []string) error {
	const names = "push, run, collect, report, health and resolve"
	if len(arguments) == 0 {
		return fmt.Errorf("%w: a command is needed: %s (see --help)", errUsage, names)
	}
	command, rest := arguments[0], arguments[1:]
	switch command {
	case "push":
		return p.push(ctx, rest)
	case "run":
		return p.deliver(ctx, rest)
	case "collect":
		return p.collect(ctx, rest)
	case "report":
		return p.report(ctx, rest)
	case "health":
		return p.health(rest)
	case "resolve":
		return p.resolve(ctx, rest)
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(p.output, usage)
		return err
	}
	return fmt.Errorf("%w: no command %q; there are %s", errUsage, command, names)
}

// flags makes the flag set of a command; what it has to say about the command line is told as an
// error, only help is printed. Each command reads the contract before it touches anything.
func (p program) flags(command string) (set *flag.FlagSet, conf *string) {
	set = flag.NewFlagSet("relay "+command, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set, set.String("conf", "", "the folder of the contract; needed")
}

// parse reads the command line and then the contract.
func (p program) parse(
	set *flag.FlagSet, conf *string, arguments []string,
) (*relay.Contract, error) {
	err := set.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(p.output)
		fmt.Fprintf(p.output, "usage: %s [FLAGS]\n", set.Name())
		set.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", errUsage, set.Name(), err)
	case set.NArg() > 0:
		return nil, fmt.Errorf("%w: %s: unexpected argument %q", errUsage, set.Name(), set.Arg(0))
	case *conf == "":
		return nil, fmt.Errorf("%w: %s: --conf is needed", errUsage, set.Name())
	}
	return relay.LoadContract(*conf)
}

// address is what the environment holds under the name that the topology gives.
func (p program) address(variable, key string) (string, error) {
	value := p.environment(variable)
	if value == "" {
		return "", &relay.ContractError{
			File: relay.TopologyFile, Key: key,
			Reason: fmt.Sprintf("it names the environment variable %s, which is not set", variable),
		}
	}
	return value, nil
}

func (p program) session(contract *relay.Contract) (*relay.Session, error) {
	url, err := p.address(contract.QueueURLIn, relay.KeyQueueURLIn)
	if err != nil {
		return nil, err
	}
	return relay.NewSession(url), nil
}

func (p program) sink(contract *relay.Contract, bufferBytes int) (*relay.Sink, error) {
	url, err := p.address(contract.SinkURLIn, relay.KeySinkURLIn)
	if err != nil {
		return nil, err
	}
	return relay.NewSink(url, bufferBytes)
}
