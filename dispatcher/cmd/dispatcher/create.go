package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"lostreply/dispatcher"
)

const (
	defaultTTL      = 24 * time.Hour
	defaultAttempts = 5
)

func (p program) create(ctx context.Context, arguments []string) error {
	set := p.flags("create")
	user := set.String("user", "", "the user to notify")
	event := set.String("event", "", "the event's key; one notification for each user and event")
	body := set.String("body", "", "the text")
	ttl := set.Duration("ttl", defaultTTL, "how long it is worth delivering")
	attempts := set.Int("attempts", defaultAttempts, "how many calls each channel may get")
	if err := p.parse(set, arguments); err != nil {
		return err
	}
	session, err := p.session()
	if err != nil {
		return err
	}
	defer session.Close(ctx)
	notifier := dispatcher.NewNotifier(session)
	creation, err := notifier.Create(ctx, *user, *event, *body, *ttl, *attempts)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.output, "CREATED notification=%d created=%t tasks=%s conflict=%t\n",
		creation.NotificationID, creation.Created, joinIDs(creation.Tasks), creation.Conflict)
	return err
}

func joinIDs(ids []int64) string {
	words := make([]string, 0, len(ids))
	for _, id := range ids {
		words = append(words, strconv.FormatInt(id, 10))
	}
	return strings.Join(words, ",")
}
