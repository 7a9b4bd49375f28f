package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// unsent is an outbox message under this publisher's lock, which lasts until it is marked or put
// off.
type unsent struct {
	Message
	Failures int // so far
	tx       pgx.Tx
}

// lockUnsent locks the unsent message that has been due longest; rows that another publisher holds
// are passed over. It returns nil when none is due.
func (s *Sender) lockUnsent(ctx context.Context) (*unsent, error) {
	tx, err := begin(ctx, s.database)
	if err != nil {
		return nil, err
	}
	held := &unsent{tx: tx}
	var contract, amount string
	err = tx.QueryRow(ctx, `
		SELECT msg_id, contract_id, amount::text, failures
		  FROM outbox
		 WHERE sent_at IS NULL AND next_attempt_at <= now()
		 ORDER BY next_attempt_at, position
		 LIMIT 1
		   FOR UPDATE SKIP LOCKED`).Scan(&held.ID, &contract, &amount, &held.Failures)
	if err == nil {
		held.Message, err = NewMessage(held.ID, contract, amount)
	}
	if err != nil {
		rollBack(ctx, tx)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock an unsent message: %w", err)
	}
	return held, nil
}

// markSent ends the lock with the message sent.
func (u *unsent) markSent(ctx context.Context) error {
	_, err := u.tx.Exec(ctx, `
		UPDATE outbox SET sent_at = now(), last_error = NULL WHERE msg_id = $1`, u.ID)
	if err == nil {
		err = u.tx.Commit(ctx)
	}
	if err != nil {
		return fmt.Errorf("mark message %s sent (it may be sent again): %w", u.ID, err)
	}
	return nil
}

// putOff ends the lock with the message unsent, and not due before the delay is over.
func (u *unsent) putOff(ctx context.Context, delay time.Duration, reason error) error {
	_, err := u.tx.Exec(ctx, `
		UPDATE outbox
		   SET failures = failures + 1, last_error = $2,
		       next_attempt_at = now() + make_interval(secs => $3::float8 / 1000)
		 WHERE msg_id = $1`, u.ID, reason.Error(), milliseconds(delay))
	if err == nil {
		err = u.tx.Commit(ctx)
	}
	if err != nil {
		return fmt.Errorf("put off message %s: %w", u.ID, err)
	}
	return nil
}

// release lets go of a message that was neither marked nor put off.
func (u *unsent) release(ctx context.Context) { rollBack(ctx, u.tx) }
