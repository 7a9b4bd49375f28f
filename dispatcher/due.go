package dispatcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// dueTask is a task as the claim finds it.
type dueTask struct {
	ID               int64
	Channel          string
	Token            pgtype.UUID // of the attempt that holds or last held it
	Attempts         int
	MaxAttempts      int
	OutcomeUncertain bool
	LeaseExpired     bool
	Enabled          bool
	PreferredAddress string // empty when the user gave none
	Body             string
	Expired          bool
}

// selectDue locks the task that has been due longest among the channels named, or returns nil when
// none is due. Rows that another claim holds are passed over. due_at alone decides what is looked
// at, so that settled, parked and future tasks cost nothing, and the longest due goes first, so
// that none starves. Two things keep the plan on the index of due_at whatever is known about the
// tables: the statement is planned each time (a plan kept from when they were empty would scan them
// all later), and coalesce hides the channels from the planner, which without statistics takes them
// to leave almost nothing over and would rather read and sort a whole small table.
func selectDue(ctx context.Context, tx pgx.Tx, channels []string) (*dueTask, error) {
	var due dueTask
	err := tx.QueryRow(ctx, `
		SELECT t.id, t.channel, t.attempt_token, t.attempt_count, t.max_attempts,
		       t.outcome_uncertain, t.state = 'SENDING' AS lease_expired,
		       coalesce(p.enabled, false), coalesce(p.address, ''),
		       n.body, n.expires_at <= now() AS expired
		  FROM delivery_task t
		  JOIN notification n ON n.id = t.notification_id
		  LEFT JOIN channel_pref p ON p.user_id = n.user_id AND p.channel = t.channel
		 WHERE t.due_at <= now()
		   AND (t.state <> 'SENDING' OR t.lease_until < now())
		   AND coalesce(t.channel = ANY ($1::text[]), false)
		 ORDER BY t.due_at, t.id
		 LIMIT 1
		   FOR UPDATE OF t SKIP LOCKED`, pgx.QueryExecModeExec, channels,
	).Scan(&due.ID, &due.Channel, &due.Token, &due.Attempts, &due.MaxAttempts,
		&due.OutcomeUncertain, &due.LeaseExpired, &due.Enabled, &due.PreferredAddress,
		&due.Body, &due.Expired)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a due task: %w", err)
	}
	return &due, nil
}
