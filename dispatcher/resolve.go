package dispatcher

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// ResolveManually writes what a person found out about a parked task: finalState is Sent or
// Failed, otherwise the error is ErrInvalid. It returns how many rows it changed: 1, or 0 when
// the task is not parked (any more). Of concurrent calls exactly one changes a row: the others
// wait for it and then see that the condition no longer holds.
func (d *Dispatcher) ResolveManually(
	ctx context.Context, taskID int64, finalState State, note string,
) (int64, error) {
	outcome, err := manualOutcome(finalState)
	if err != nil {
		return 0, err
	}
	var changed int64
	err = pgx.BeginTxFunc(ctx, d.database, readCommitted(), func(tx pgx.Tx) (err error) {
		changed, err = d.resolveIn(ctx, tx, resolution{taskID, newToken(), finalState, outcome, note})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("resolve task %d as %s: %w", taskID, finalState, err)
	}
	return changed, nil
}

func manualOutcome(finalState State) (Outcome, error) {
	switch finalState {
	case Sent:
		return ManualSent, nil
	case Failed:
		return ManualFailed, nil
	}
	return "", fmt.Errorf("%w: a task is resolved as SENT or FAILED, not %q", ErrInvalid, finalState)
}

// resolution is a person's finding on its way into the tables.
type resolution struct {
	taskID  int64
	token   pgtype.UUID
	state   State
	outcome Outcome
	note    string
}

func (d *Dispatcher) resolveIn(ctx context.Context, tx pgx.Tx, r resolution) (int64, error) {
	changed, err := settleParked(ctx, tx, r)
	if err != nil || changed == 0 {
		return changed, err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO delivery_attempt
		       (task_id, attempt_token, worker, action, outcome, note, finished_at)
		VALUES ($1, $2, $3, 'NONE', $4, $5, now())`,
		r.taskID, r.token, d.settings.Name, r.outcome, r.note)
	if err != nil {
		return 0, fmt.Errorf("append the note: %w", err)
	}
	return changed, nil
}

// settleParked changes the task only while it is parked.
func settleParked(ctx context.Context, tx pgx.Tx, r resolution) (int64, error) {
	tag, err := tx.Exec(ctx, `
		UPDATE delivery_task
		   SET state = $2, needs_review = false, outcome_uncertain = false,
		       next_attempt_at = NULL, updated_at = now()
		 WHERE id = $1 AND state = 'UNKNOWN' AND needs_review`, r.taskID, r.state)
	if err != nil {
		return 0, fmt.Errorf("settle the task: %w", err)
	}
	return tag.RowsAffected(), nil
}
