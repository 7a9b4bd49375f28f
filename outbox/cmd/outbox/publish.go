package main

import (
	"context"

	"lostreply/outbox"
)

func (p program) publish(ctx context.Context, arguments []string) error {
	set := p.flags("publish")
	settings := outbox.Settings{Output: p.output}
	var own pace
	settingsFlags(set, &settings)
	own.flags(set)
	transport := transportFlag(set)
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if err := own.validate(); err != nil {
		return err
	}
	session, err := p.session("SENDER_URL")
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	carrier, closeCarrier, err := p.carrier(*transport)
	if err != nil {
		return err
	}
	defer closeCarrier(ctx)
	publisher, err := outbox.NewPublisher(outbox.NewSender(session), carrier, settings)
	if err != nil {
		return err
	}
	return p.loop(ctx, own, publisher.PublishOnce)
}
