package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"lostreply/outbox"
)

// defaultAccount is what amounts are booked to.
const defaultAccount = "contracts"

func consumerFlags(set *flag.FlagSet, settings *outbox.Settings) (account *string) {
	settingsFlags(set, settings)
	set.IntVar(&settings.MaxFailures, "max-failures", defaultMaxFailures,
		"with how many failures a delivery becomes a dead letter")
	return set.String("account", defaultAccount, "the ledger's account")
}

func (p program) consume(ctx context.Context, arguments []string) error {
	set := p.flags("consume")
	settings := outbox.Settings{Output: p.output}
	var own pace
	account := consumerFlags(set, &settings)
	own.flags(set)
	transport := transportFlag(set)
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if err := own.validate(); err != nil {
		return err
	}
	session, err := p.session("RECEIVER_URL")
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	carrier, closeCarrier, err := p.carrier(*transport)
	if err != nil {
		return err
	}
	defer closeCarrier(ctx)
	consumer, err := outbox.NewConsumer(carrier, outbox.NewInbox(session, *account), settings)
	if err != nil {
		return err
	}
	return p.loop(ctx, own, consumer.ConsumeOnce)
}

// errTaken is a delivery by hand that somebody else got hold of.
var errTaken = errors.New("another consumer took it")

// conflict plays a sender that has reused a message id.
func (p program) conflict(ctx context.Context, arguments []string) error {
	set := p.flags("conflict")
	settings := outbox.Settings{Output: p.output}
	account := consumerFlags(set, &settings)
	messageID := set.String("msg", "", "the message id")
	payload := set.String("payload", "", `the payload, such as {"contract": "R1", "amount": 99}`)
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if *messageID == "" || *payload == "" {
		return fmt.Errorf("%w: conflict: --msg and --payload are needed", errUsage)
	}
	sessions, closeAll, err := p.sessions("QUEUE_URL", "RECEIVER_URL")
	if err != nil {
		return err
	}
	defer closeAll(ctx)
	queue := outbox.NewQueue(sessions[0])
	consumer, err := outbox.NewConsumer(queue, outbox.NewInbox(sessions[1], *account), settings)
	if err != nil {
		return err
	}
	id, err := queue.Send(ctx, outbox.Message{ID: *messageID, Payload: *payload})
	if err != nil {
		return fmt.Errorf("deliver message %s: %w", *messageID, err)
	}
	delivery, err := queue.TakeDelivery(ctx, id)
	if err == nil && delivery == nil {
		err = errTaken
	}
	if err != nil {
		return fmt.Errorf("take delivery %s: %w", id, err)
	}
	_, err = consumer.Handle(ctx, delivery)
	return err
}
