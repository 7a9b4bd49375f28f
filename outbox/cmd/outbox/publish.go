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
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if err := own.validate(); err != nil {
		return err
	}
	sessions, closeAll, err := p.sessions("SENDER_URL", "QUEUE_URL")
	if err != nil {
		return err
	}
	defer closeAll(ctx)
	publisher, err := outbox.NewPublisher(
		outbox.NewSender(sessions[0]), outbox.NewQueue(sessions[1]), settings)
	if err != nil {
		return err
	}
	return p.loop(ctx, own, publisher.PublishOnce)
}
