package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"lostreply/outbox"
)

const (
	defaultTimeout     = 30 * time.Second
	defaultRetryDelay  = time.Second
	defaultMaxDelay    = 10 * time.Minute
	defaultMaxFailures = 5
	defaultPoll        = time.Second
)

// pace is when a publisher or consumer stops.
type pace struct {
	once  bool
	drain bool
	poll  time.Duration
}

func (own *pace) flags(set *flag.FlagSet) {
	set.BoolVar(&own.once, "once", false, "one message")
	set.BoolVar(&own.drain, "drain", false, "until none is due")
	set.DurationVar(&own.poll, "poll", defaultPoll, "how often to look when none is due")
}

func (own pace) validate() error {
	if own.poll <= 0 || (own.once && own.drain) {
		return fmt.Errorf("%w: --poll above 0, and one of --once and --drain at most", errUsage)
	}
	return nil
}

func settingsFlags(set *flag.FlagSet, settings *outbox.Settings) {
	settings.MaxFailures = defaultMaxFailures
	set.DurationVar(&settings.Timeout, "timeout", defaultTimeout,
		"bounds the work on one message at each database")
	set.DurationVar(&settings.RetryDelay, "retry-delay", defaultRetryDelay,
		"wait after a first failure; each further one doubles it")
	set.DurationVar(&settings.MaxDelay, "max-delay", defaultMaxDelay, "the longest wait")
}

// loop works until its pace says so or a signal asks it to stop. The message at hand is finished
// first; a second signal ends the process at once. The error is a conflict, if there was one, or
// what else went wrong last; one message's trouble does not keep it from the others.
func (p program) loop(
	ctx context.Context, own pace, step func(context.Context) (outbox.Result, error),
) error {
	stopping, restore := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer restore()
	context.AfterFunc(stopping, restore)
	var worst error
	for stopping.Err() == nil {
		result, err := step(ctx)
		settled := result != "" && result != outbox.Nothing
		switch {
		case own.once:
			return err
		case own.drain && !settled:
			return graver(worst, err)
		case err != nil:
			p.complain(err)
		}
		if own.drain {
			worst = graver(worst, err)
		} else if !settled {
			pause(stopping, own.poll)
		}
	}
	return worst
}

// graver is the error that the exit code is about: a conflict before any other.
func graver(before, now error) error {
	switch {
	case now == nil, errors.Is(before, outbox.ErrConflict):
		return before
	default:
		return now
	}
}

// pause ends early when ctx does.
func pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
