package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// FinishAllowance is how much longer than the client's timeout a lease must be, for the finish.
const FinishAllowance = time.Second

// Settings are a worker's own choices.
type Settings struct {
	Name       string        // the worker's, in tables and output
	Lease      time.Duration // how long a claimed task is this worker's
	Timeout    time.Duration // of one HTTP call
	RetryDelay time.Duration // before the next attempt
	// AllowOverlap accepts a lease that ends before the call must: a live holder is then overtaken.
	AllowOverlap bool
	Output       io.Writer // gets one line for each step; nil for none
}

// ErrSettings is what is wrong with a worker's settings.
var ErrSettings = errors.New("unusable settings")

func (s Settings) validate() error {
	switch {
	case s.Name == "":
		return fmt.Errorf("%w: a worker needs a name", ErrSettings)
	case s.Timeout <= 0 || s.Lease <= 0:
		return fmt.Errorf("%w: timeout %s and lease %s must be above 0", ErrSettings, s.Timeout, s.Lease)
	case s.RetryDelay < 0:
		return fmt.Errorf("%w: retry delay %s is below 0", ErrSettings, s.RetryDelay)
	case s.Lease < s.Timeout+FinishAllowance && !s.AllowOverlap:
		return fmt.Errorf("%w: a lease of %s does not outlast a call of up to %s and its finish (%s): "+
			"a live worker would be overtaken; lengthen the lease, shorten the timeout, or allow "+
			"the overlap", ErrSettings, s.Lease, s.Timeout, FinishAllowance)
	}
	return nil
}

// Dispatcher is one worker: it claims tasks, calls their channels and writes the outcomes. It is
// as safe for concurrent use as its Database.
type Dispatcher struct {
	database     Database
	settings     Settings
	client       client
	contracts    map[string]Contract
	channelNames []string
}

// New makes a worker for the channels whose contracts are given; it leaves tasks of other channels
// alone. The error is ErrSettings or ErrContract.
func New(database Database, contracts []Contract, settings Settings) (*Dispatcher, error) {
	if err := settings.validate(); err != nil {
		return nil, err
	}
	worker := &Dispatcher{
		database: database, settings: settings, client: newClient(settings.Timeout),
		contracts: make(map[string]Contract, len(contracts)),
	}
	for _, contract := range contracts {
		if err := contract.Validate(); err != nil {
			return nil, err
		}
		if _, known := worker.contracts[contract.Channel]; known {
			return nil, fmt.Errorf("%w: channel %q is given twice", ErrContract, contract.Channel)
		}
		worker.contracts[contract.Channel] = contract
		worker.channelNames = append(worker.channelNames, contract.Channel)
	}
	return worker, nil
}

// RunOnce does one claim, call and finish. The result is NOTHING when no task was due, STALE
// when the attempt was superseded before it could be finished, else the state that the task was
// left in. After an error the task, if one was claimed, is claimed again when its lease ends.
// Once the call has been made, what it saw is written even when ctx has ended.
func (d *Dispatcher) RunOnce(ctx context.Context) (Result, error) {
	held, err := d.claim(ctx)
	if err != nil {
		return "", err
	}
	if held == nil {
		return d.report(Nothing), nil
	}
	d.say("CLAIMED task=%d attempt=%d action=%s", held.TaskID, held.Attempt, held.Action)
	if held.Action == None {
		return d.report(Result(held.Ending.State)), nil
	}
	seen := d.client.call(ctx, d.contracts[held.Channel], held)
	d.say("CALLED outcome=%s msg=%s", seen.Outcome, orWordNull(seen.MessageID))
	result, err := d.finish(ctx, held, seen)
	if err != nil {
		return "", err
	}
	return d.report(result), nil
}

func (d *Dispatcher) report(result Result) Result {
	d.say("RESULT %s", result)
	return result
}

// say writes one whole line at once, so that a reader never sees half of one, and sees it before
// the next step begins.
func (d *Dispatcher) say(format string, arguments ...any) {
	if d.settings.Output == nil {
		return
	}
	fmt.Fprintf(d.settings.Output, "W "+d.settings.Name+" "+format+"\n", arguments...)
}

func orWordNull(text string) string {
	if text == "" {
		return "null"
	}
	return text
}
