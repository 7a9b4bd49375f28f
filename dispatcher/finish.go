package dispatcher

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// finish writes what the call observed. A COMMIT whose answer was lost may have been done, so an
// error is followed by one more try on a new connection, which finds out; what it saw must not be
// lost to a cancelled context either.
func (d *Dispatcher) finish(ctx context.Context, held *claim, seen Observation) (Result, error) {
	ctx = context.WithoutCancel(ctx)
	decided := judge(seen, d.situation(held))
	result, err := d.finishOnce(ctx, held, seen, decided)
	if err != nil {
		result, err = d.finishOnce(ctx, held, seen, decided)
	}
	if err != nil {
		return "", fmt.Errorf("finish task %d (outcome %s; it is claimed again when its lease ends): %w",
			held.TaskID, seen.Outcome, err)
	}
	return result, nil
}

// situation collects what the judgement needs to know.
func (d *Dispatcher) situation(held *claim) situation {
	contract := d.contracts[held.Channel]
	return situation{
		Mode: contract.Mode, Uncertain: held.Uncertain,
		BudgetLeft: budgetLeft(held.Attempt, held.MaxAttempts), LostHolder: held.LostHolder,
		SeesAtOnce: contract.SeesAtOnce, SettleLeft: held.SettleLeft,
	}
}

// finishOnce is one transaction over the task and its attempt row.
func (d *Dispatcher) finishOnce(
	ctx context.Context, held *claim, seen Observation, decided verdict,
) (Result, error) {
	result := Result(decided.State)
	err := pgx.BeginTxFunc(ctx, d.database, readCommitted(), func(tx pgx.Tx) error {
		changed, err := d.updateTask(ctx, tx, held, seen, decided)
		if err != nil {
			return err
		}
		if changed > 0 {
			return writeOutcome(ctx, tx, held, seen)
		}
		superseded, err := wasSuperseded(ctx, tx, held)
		if err != nil || !superseded {
			return err
		}
		result = Stale
		return writeLateOutcome(ctx, tx, held, seen)
	})
	return result, err
}

// updateTask writes the task's new state if this attempt still holds it: only the current token
// may change it, and only while it is being sent. A NULL delay makes a NULL next_attempt_at.
func (d *Dispatcher) updateTask(
	ctx context.Context, tx pgx.Tx, held *claim, seen Observation, decided verdict,
) (int64, error) {
	tag, err := tx.Exec(ctx, `
		UPDATE delivery_task
		   SET state = $3, outcome_uncertain = $4, needs_review = $5,
		       provider_msg_id = coalesce($6, provider_msg_id), last_error = $7,
		       lease_owner = NULL, lease_until = NULL,
		       next_attempt_at = now() + make_interval(secs => $8::float8 / 1000),
		       updated_at = now()
		 WHERE id = $1 AND state = 'SENDING' AND attempt_token = $2`,
		held.TaskID, held.Token, decided.State, decided.Uncertain, decided.Parked,
		orNull(seen.MessageID), lastError(seen), d.nextDelay(decided))
	if err != nil {
		return 0, fmt.Errorf("update task %d: %w", held.TaskID, err)
	}
	return tag.RowsAffected(), nil
}

// nextDelay is how many milliseconds from now the task is due again; nil when it is not.
func (d *Dispatcher) nextDelay(decided verdict) *float64 {
	if !decided.scheduled() {
		return nil
	}
	delay := d.settings.RetryDelay
	if decided.Wait > 0 {
		delay = decided.Wait
	}
	millis := milliseconds(delay)
	return &millis
}

// lastError is nil after an acceptance.
func lastError(seen Observation) *string {
	if seen.Outcome.acceptance() {
		return nil
	}
	text := string(seen.Outcome)
	if seen.Detail != "" {
		text += ": " + seen.Detail
	}
	return &text
}

// writeOutcome writes this attempt's own observation. An outcome that is there already stays.
func writeOutcome(ctx context.Context, tx pgx.Tx, held *claim, seen Observation) error {
	_, err := tx.Exec(ctx, `
		UPDATE delivery_attempt
		   SET outcome = $2, provider_msg_id = $3, found_count = $4, detail = $5, finished_at = now()
		 WHERE attempt_token = $1 AND outcome IS NULL`,
		held.Token, seen.Outcome, orNull(seen.MessageID), foundCount(seen), orNull(seen.Detail))
	if err != nil {
		return fmt.Errorf("write the outcome of an attempt of task %d: %w", held.TaskID, err)
	}
	return nil
}

// foundCount is nil unless a query answered.
func foundCount(seen Observation) *int {
	if seen.Outcome != QueryFound && seen.Outcome != QueryNotFound {
		return nil
	}
	return &seen.Found
}
