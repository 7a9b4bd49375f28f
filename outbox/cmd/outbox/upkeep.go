package main

import (
	"context"
	"fmt"
	"time"

	"lostreply/outbox"
)

const defaultRetention = 30 * 24 * time.Hour

func (p program) verify(ctx context.Context, arguments []string) error {
	set := p.flags("verify")
	account := set.String("account", defaultAccount, "the ledger's account")
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	sessions, closeAll, err := p.sessions("SENDER_URL", "QUEUE_URL", "RECEIVER_URL")
	if err != nil {
		return err
	}
	defer closeAll(ctx)
	books, err := outbox.Audit(ctx, sessions[0], sessions[1], sessions[2], *account)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.output, "SENDER contracts=%d unsent=%d sent=%d\n",
		books.Contracts, books.Unsent, books.Sent)
	fmt.Fprintf(p.output, "QUEUE deliveries=%d acked=%d unacked=%d dead=%d redriven=%d conflicts=%d\n",
		books.Deliveries, books.Acked, books.Unacked, books.Dead, books.Redriven, books.Conflicts)
	fmt.Fprintf(p.output, "RECEIVER inbox=%d ledger=%s\n", books.Inbox, books.Ledger)
	if err := books.Balance(); err != nil {
		return err
	}
	state := "BALANCED"
	if !books.AtRest() {
		state = "UNDER WAY"
	}
	_, err = fmt.Fprintf(p.output, "BOOKS %s\n", state)
	return err
}

func (p program) redrive(ctx context.Context, arguments []string) error {
	set := p.flags("redrive")
	letter := set.Int64("letter", 0, "id of the dead letter")
	all := set.Bool("all", false, "all that were not sent again before")
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	if (*letter > 0) == *all || *letter < 0 {
		return fmt.Errorf("%w: redrive: one of --letter and --all is needed", errUsage)
	}
	session, err := p.session("QUEUE_URL")
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	redriven, err := outbox.NewQueue(session).Redrive(ctx, *letter)
	if err != nil {
		return err
	}
	for _, one := range redriven {
		fmt.Fprintf(p.output, "REDRIVEN letter=%d msg=%s delivery=%d\n",
			one.LetterID, one.MessageID, one.DeliveryID)
	}
	_, err = fmt.Fprintf(p.output, "REDRIVEN letters=%d\n", len(redriven))
	return err
}

func (p program) purge(ctx context.Context, arguments []string) error {
	set := p.flags("purge")
	retention := set.Duration("retention", defaultRetention,
		"how long a processed message is remembered; longer than any can stay on its way")
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	session, err := p.session("RECEIVER_URL")
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	purged, err := outbox.NewInbox(session, defaultAccount).Purge(ctx, *retention)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.output, "PURGED messages=%d\n", purged)
	return err
}
