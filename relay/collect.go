package relay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Collect asks the sink once for the ACK of each item that was delivered and is unacked, which is
// how an ACK that was late or lost is heard before the item is due again. It returns how many it
// asked for and how many items had their first ACK. A sink that does not answer has nothing to
// tell.
func (c *Courier) Collect(ctx context.Context) (asked, fresh int, err error) {
	waiting, err := c.delivered(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, id := range waiting {
		answer := c.sink.ask(ctx, id, c.settings.Timeout)
		asked++
		taken, err := takeACKs(ctx, c.database, answer.acks)
		if err != nil {
			return asked, fresh, err
		}
		fresh += taken
	}
	return asked, fresh, nil
}

// delivered are the unacked items that the sink can know of, in the order of their admission.
func (c *Courier) delivered(ctx context.Context) (ids []string, err error) {
	err = pgx.BeginTxFunc(ctx, c.database, readCommitted(), func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT id FROM item WHERE acked_as IS NULL AND deliveries > 0 ORDER BY admitted_as`)
		if err != nil {
			return err
		}
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for unacked items: %w", err)
	}
	return ids, nil
}
