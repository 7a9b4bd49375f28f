package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"lostreply/dispatcher"
)

const (
	defaultLease      = time.Minute
	defaultTimeout    = 10 * time.Second
	defaultRetryDelay = 5 * time.Second
	defaultPoll       = time.Second
)

// pace is when a worker stops.
type pace struct {
	once  bool
	drain bool
	poll  time.Duration
}

func (p program) work(ctx context.Context, arguments []string) error {
	set := p.flags("work")
	settings := dispatcher.Settings{Output: p.output}
	var own pace
	set.StringVar(&settings.Name, "name", p.workerName(), "the worker's name, in tables and output")
	set.DurationVar(&settings.Lease, "lease", defaultLease,
		"how long a claimed task is this worker's")
	set.DurationVar(&settings.Timeout, "timeout", defaultTimeout, "of one HTTP call")
	set.DurationVar(&settings.RetryDelay, "retry-delay", defaultRetryDelay, "before the next attempt")
	set.BoolVar(&settings.AllowOverlap, "allow-overlap", false,
		"accept a lease that does not outlast the timeout: a live worker may then be overtaken")
	set.BoolVar(&own.once, "once", false, "one claim, call and finish")
	set.BoolVar(&own.drain, "drain", false, "until no task is due")
	set.DurationVar(&own.poll, "poll", defaultPoll, "how often to look when no task is due")
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if own.poll <= 0 || (own.once && own.drain) {
		return fmt.Errorf("%w: work: --poll above 0, and one of --once and --drain at most", errUsage)
	}
	contracts, err := p.contracts()
	if err != nil {
		return err
	}
	session, err := p.session()
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	worker, err := dispatcher.New(session, contracts, settings)
	if err != nil {
		return err
	}
	return p.loop(ctx, worker, own)
}

// loop works until its pace says so or a signal asks it to stop. What has been claimed is finished
// first; a second signal ends the process at once.
func (p program) loop(ctx context.Context, worker *dispatcher.Dispatcher, own pace) error {
	stopping, restore := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer restore()
	context.AfterFunc(stopping, restore)
	for stopping.Err() == nil {
		result, err := worker.RunOnce(ctx)
		switch {
		case own.once:
			return err
		case own.drain && (err != nil || result == dispatcher.Nothing):
			return err
		case err != nil:
			fmt.Fprintf(p.errors, "dispatcher: %v\n", err)
		}
		if err != nil || result == dispatcher.Nothing {
			pause(stopping, own.poll)
		}
	}
	return nil
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

// workerName is unique enough on its own: the machine and the process.
func (p program) workerName() string {
	if name := p.environment("WORKER_NAME"); name != "" {
		return name
	}
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}
