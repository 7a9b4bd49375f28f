package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Books is what the three databases hold, counted.
type Books struct {
	Contracts, Unsent, Sent    int64
	Deliveries, Acked, Unacked int64
	Dead, Redriven             int64 // dead letters that wait, and that were sent again
	Conflicts                  int64 // dead letters of either kind that are payload conflicts
	Inbox                      int64
	Ledger                     string // the account's amount; 0 when it has none

	lost   []string // ids that are marked sent, and of which there is no delivery
	booked string   // the sum of what was acknowledged, each message id once
}

// ErrOutOfBalance is books that disagree although nothing is on its way any more.
var ErrOutOfBalance = errors.New("out of balance")

// Audit counts what the databases hold. It reads one database after the other, each in one
// snapshot: of a system at work it tells nothing exact.
func Audit(
	ctx context.Context, sender, queue, receiver Database, account string,
) (Books, error) {
	var books Books
	var sent []string
	err := inSnapshot(ctx, sender, func(tx pgx.Tx) (err error) {
		sent, err = books.readSender(ctx, tx)
		return err
	})
	if err != nil {
		return Books{}, fmt.Errorf("audit the sender: %w", err)
	}
	err = inSnapshot(ctx, queue, func(tx pgx.Tx) error { return books.readQueue(ctx, tx, sent) })
	if err != nil {
		return Books{}, fmt.Errorf("audit the queue: %w", err)
	}
	err = inSnapshot(ctx, receiver, func(tx pgx.Tx) error {
		return books.readReceiver(ctx, tx, account)
	})
	if err != nil {
		return Books{}, fmt.Errorf("audit the receiver: %w", err)
	}
	return books, nil
}

// AtRest tells whether nothing is on its way: nothing unsent, nothing unacknowledged.
func (b Books) AtRest() bool { return b.Unsent == 0 && b.Unacked == 0 }

// Balance compares the books with each other; the error is ErrOutOfBalance. A message that is
// marked sent must have been delivered. When nothing is on its way, the ledger must hold what was
// acknowledged, each message id counted once.
func (b Books) Balance() error {
	var wrong []string
	if len(b.lost) > 0 {
		wrong = append(wrong, "marked sent and never delivered: "+strings.Join(b.lost, ", "))
	}
	if b.AtRest() && b.Ledger != b.booked {
		wrong = append(wrong, fmt.Sprintf("the ledger holds %s, and %s was acknowledged",
			b.Ledger, b.booked))
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %s", ErrOutOfBalance, strings.Join(wrong, "; "))
	}
	return nil
}

func inSnapshot(ctx context.Context, database Database, read func(pgx.Tx) error) error {
	tx, err := database.BeginTx(ctx, pgx.TxOptions{
		IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly,
	})
	if err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	defer rollBack(ctx, tx)
	return read(tx)
}

// readSender returns the ids of the messages that are marked sent.
func (b *Books) readSender(ctx context.Context, tx pgx.Tx) (sent []string, err error) {
	err = tx.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM contract),
		       count(*) FILTER (WHERE sent_at IS NULL), count(sent_at),
		       coalesce(array_agg(msg_id ORDER BY position) FILTER (WHERE sent_at IS NOT NULL), '{}')
		  FROM outbox`).Scan(&b.Contracts, &b.Unsent, &b.Sent, &sent)
	return sent, err
}

// readQueue also looks for the deliveries of messages that are marked sent.
func (b *Books) readQueue(ctx context.Context, tx pgx.Tx, sent []string) error {
	var delivered []string
	err := tx.QueryRow(ctx, `
		SELECT count(*), count(acked_at),
		       count(*) FILTER (WHERE acked_at IS NULL AND buried_at IS NULL),
		       coalesce(array_agg(DISTINCT msg_id), '{}'),
		       (SELECT coalesce(trim_scale(sum(amount)), 0)::text
		          FROM (SELECT DISTINCT ON (msg_id) amount
		                  FROM delivery WHERE acked_at IS NOT NULL
		                 ORDER BY msg_id, delivery_id) AS message)
		  FROM delivery`).Scan(&b.Deliveries, &b.Acked, &b.Unacked, &delivered, &b.booked)
	if err != nil {
		return err
	}
	for _, id := range sent {
		if !slices.Contains(delivered, id) {
			b.lost = append(b.lost, id)
		}
	}
	return tx.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE redriven_at IS NULL), count(redriven_at),
		       count(*) FILTER (WHERE reason = 'CONFLICT')
		  FROM dead_letter`).Scan(&b.Dead, &b.Redriven, &b.Conflicts)
}

func (b *Books) readReceiver(ctx context.Context, tx pgx.Tx, account string) error {
	return tx.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM inbox),
		       coalesce((SELECT trim_scale(amount)::text FROM ledger WHERE account = $1), '0')`,
		account).Scan(&b.Inbox, &b.Ledger)
}
