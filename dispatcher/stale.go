package dispatcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// wasSuperseded tells why the task could not be changed. An outcome of its own in the attempt's
// row is this very finish, done earlier with its COMMIT unheard; LEASE_EXPIRED there, or
// nothing, means that the task has gone on without this attempt.
func wasSuperseded(ctx context.Context, tx pgx.Tx, held *claim) (bool, error) {
	var outcome Outcome
	err := tx.QueryRow(ctx, `
		SELECT coalesce(outcome, '') FROM delivery_attempt WHERE attempt_token = $1`, held.Token,
	).Scan(&outcome)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("the attempt of task %d is not on record any more", held.TaskID)
	}
	if err != nil {
		return false, fmt.Errorf("read the attempt of task %d: %w", held.TaskID, err)
	}
	return outcome == "" || outcome == LeaseExpired, nil
}

// writeLateOutcome keeps an observation that came too late to count, in its own row and nowhere
// else.
func writeLateOutcome(ctx context.Context, tx pgx.Tx, held *claim, seen Observation) error {
	_, err := tx.Exec(ctx, `
		UPDATE delivery_attempt
		   SET late_outcome = $2, late_msg_id = $3, late_found_count = $4, late_at = now()
		 WHERE attempt_token = $1 AND late_outcome IS NULL`,
		held.Token, seen.Outcome, orNull(seen.MessageID), foundCount(seen))
	if err != nil {
		return fmt.Errorf("write the late outcome of an attempt of task %d: %w", held.TaskID, err)
	}
	return nil
}
