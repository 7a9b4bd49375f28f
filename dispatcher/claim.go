package dispatcher

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// claim is a task that this worker holds, or has ended without a call.
type claim struct {
	TaskID      int64
	Channel     string
	Token       pgtype.UUID
	Attempt     int // calls so far, this one included
	MaxAttempts int
	Action      Action
	Address     string
	Body        string
	Uncertain   bool // an earlier attempt may have been accepted
	LostHolder  bool // an earlier attempt's holder was never heard of
	SettleLeft  time.Duration
	Ending      ending // valid when Action is None
}

// claim takes the next due task in a transaction of its own, which is committed before any call: a
// slow channel holds no lock. It returns nil when nothing is due.
func (d *Dispatcher) claim(ctx context.Context) (*claim, error) {
	var taken *claim
	err := pgx.BeginTxFunc(ctx, d.database, readCommitted(), func(tx pgx.Tx) (err error) {
		taken, err = d.claimIn(ctx, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim a task for worker %s: %w", d.settings.Name, err)
	}
	return taken, nil
}

// claimIn is the body of the claim's transaction.
func (d *Dispatcher) claimIn(ctx context.Context, tx pgx.Tx) (*claim, error) {
	due, err := selectDue(ctx, tx, d.channelNames)
	if err != nil || due == nil {
		return nil, err
	}
	if due.LeaseExpired {
		if err := markLeaseExpired(ctx, tx, due); err != nil {
			return nil, err
		}
	}
	past, err := readHistory(ctx, tx, due.ID)
	if err != nil {
		return nil, err
	}
	contract := d.contracts[due.Channel]
	decided := planClaim(*due, past, contract)
	taken := &claim{
		TaskID: due.ID, Channel: due.Channel, Token: newToken(), Attempt: due.Attempts,
		MaxAttempts: due.MaxAttempts, Action: decided.Action, Body: due.Body,
		Uncertain: uncertain(*due), LostHolder: past.lostHolder(),
		SettleLeft: past.settleLeft(contract.Settle), Ending: decided.Ending,
	}
	if taken.Action == None {
		return taken, d.endClaim(ctx, tx, taken)
	}
	return taken, d.holdClaim(ctx, tx, taken, due.PreferredAddress)
}

// markLeaseExpired writes what is known of the earlier attempt: nothing, and its time is up.
func markLeaseExpired(ctx context.Context, tx pgx.Tx, due *dueTask) error {
	_, err := tx.Exec(ctx, `
		UPDATE delivery_attempt SET outcome = $2, finished_at = now()
		 WHERE attempt_token = $1 AND outcome IS NULL`, due.Token, LeaseExpired)
	if err != nil {
		return fmt.Errorf("mark the expired attempt of task %d: %w", due.ID, err)
	}
	return nil
}

// holdClaim gives the task to this worker under a new token and a lease. The address is pinned
// by the first call.
func (d *Dispatcher) holdClaim(
	ctx context.Context, tx pgx.Tx, taken *claim, address string,
) error {
	err := tx.QueryRow(ctx, `
		UPDATE delivery_task
		   SET state = 'SENDING', attempt_token = $2, lease_owner = $3,
		       lease_until = now() + make_interval(secs => $4::float8 / 1000),
		       attempt_count = attempt_count + 1, outcome_uncertain = $5,
		       address = coalesce(address, $6), next_attempt_at = NULL, updated_at = now()
		 WHERE id = $1
		RETURNING attempt_count, address`,
		taken.TaskID, taken.Token, d.settings.Name, milliseconds(d.settings.Lease), taken.Uncertain,
		address,
	).Scan(&taken.Attempt, &taken.Address)
	if err != nil {
		return fmt.Errorf("take task %d: %w", taken.TaskID, err)
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO delivery_attempt (task_id, attempt_token, worker, action)
		VALUES ($1, $2, $3, $4)`, taken.TaskID, taken.Token, d.settings.Name, taken.Action)
	if err != nil {
		return fmt.Errorf("record an attempt of task %d: %w", taken.TaskID, err)
	}
	return nil
}

// endClaim settles or parks the task without a call. It does not count as one: the task keeps the
// token of its last call, whose holder, if it is still alive, is kept out by the state.
func (d *Dispatcher) endClaim(ctx context.Context, tx pgx.Tx, taken *claim) error {
	parked := taken.Ending.parked()
	_, err := tx.Exec(ctx, `
		UPDATE delivery_task
		   SET state = $2, outcome_uncertain = $3, needs_review = $3,
		       provider_msg_id = coalesce($4, provider_msg_id), last_error = $5,
		       lease_owner = NULL, lease_until = NULL, next_attempt_at = NULL, updated_at = now()
		 WHERE id = $1`,
		taken.TaskID, taken.Ending.State, parked,
		orNull(taken.Ending.MessageID), taken.Ending.Outcome)
	if err != nil {
		return fmt.Errorf("end task %d: %w", taken.TaskID, err)
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO delivery_attempt
		       (task_id, attempt_token, worker, action, outcome, provider_msg_id, finished_at)
		VALUES ($1, $2, $3, 'NONE', $4, $5, now())`,
		taken.TaskID, taken.Token, d.settings.Name, taken.Ending.Outcome, orNull(taken.Ending.MessageID))
	if err != nil {
		return fmt.Errorf("record the end of task %d: %w", taken.TaskID, err)
	}
	return nil
}
