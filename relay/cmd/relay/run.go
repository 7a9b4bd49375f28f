package main

import (
	"context"
	"flag"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"lostreply/relay"
)

const (
	defaultTimeout    = 10 * time.Second
	defaultRedelivery = time.Minute
	defaultParkAfter  = 5
	defaultPoll       = time.Second
)

// courierSettings are what the command line says of a courier and of its way to the sink.
type courierSettings struct {
	relay.Settings
	bufferBytes int
}

func courierFlags(set *flag.FlagSet) *courierSettings {
	settings := &courierSettings{}
	set.IntVar(&settings.bufferBytes, "send-buffer", 0,
		"bytes to ask for as send buffer of a connection to the sink; 0 asks for nothing")
	set.DurationVar(&settings.Timeout, "timeout", defaultTimeout, "of one call to the sink")
	set.DurationVar(&settings.Redelivery, "redelivery", defaultRedelivery,
		"after which an item without ACK is delivered again")
	set.IntVar(&settings.ParkAfter, "park-after", defaultParkAfter,
		"refusals for good after which an item waits for a person")
	return settings
}

// courier makes a courier, and what closes its connections.
func (p program) courier(
	contract *relay.Contract, settings *courierSettings,
) (*relay.Courier, *relay.Session, error) {
	session, err := p.session(contract)
	if err != nil {
		return nil, nil, err
	}
	sink, err := p.sink(contract, settings.bufferBytes)
	if err != nil {
		return nil, nil, err
	}
	courier, err := relay.NewCourier(session, sink, settings.Settings)
	return courier, session, err
}

func (p program) deliver(ctx context.Context, arguments []string) error {
	set, conf := p.flags("run")
	settings := courierFlags(set)
	once := set.Bool("once", false, "one claim and delivery")
	drain := set.Bool("drain", false, "until nothing is due")
	poll := set.Duration("poll", defaultPoll, "how often to look when nothing is due")
	report := set.String("report", "", "write a report there when done")
	contract, err := p.parse(set, conf, arguments)
	if err != nil {
		return err
	}
	if *poll <= 0 || (*once && *drain) {
		return fmt.Errorf("%w: run: --poll above 0, and one of --once and --drain at most", errUsage)
	}
	courier, session, err := p.courier(contract, settings)
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	if err := p.loop(ctx, courier, *once, *drain, *poll); err != nil {
		return err
	}
	return save(ctx, session, *report, courier.Buffer())
}

// loop works until its flags say so or a signal asks it to stop. What has been claimed is finished
// first; a second signal ends the process at once.
func (p program) loop(
	ctx context.Context, courier *relay.Courier, once, drain bool, poll time.Duration,
) error {
	stopping, restore := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer restore()
	context.AfterFunc(stopping, restore)
	for stopping.Err() == nil {
		delivery, err := courier.RunOnce(ctx)
		if err == nil {
			p.tell(delivery)
		}
		switch {
		case once, drain && (err != nil || delivery.Item == ""):
			return err
		case err != nil:
			fmt.Fprintf(p.errors, "relay: %v\n", err)
		}
		if err != nil || delivery.Item == "" {
			pause(stopping, poll)
		}
	}
	return nil
}

func (p program) tell(delivery relay.Delivery) {
	switch {
	case delivery.Item == "":
		fmt.Fprintln(p.output, "RESULT NOTHING")
	case delivery.Acked:
		fmt.Fprintf(p.output, "RESULT ACKED item=%s acks=%d\n", delivery.Item, delivery.Fresh)
	case delivery.Parked:
		fmt.Fprintf(p.output, "RESULT PARKED item=%s\n", delivery.Item)
	default:
		fmt.Fprintf(p.output, "RESULT UNACKED item=%s acks=%d\n", delivery.Item, delivery.Fresh)
	}
	if delivery.Problem != "" {
		fmt.Fprintf(p.errors, "relay: item %s: %s\n", delivery.Item, delivery.Problem)
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
