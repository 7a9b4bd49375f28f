package dispatcher

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// history is the earlier attempts of a task, oldest first.
type history []pastAttempt

// pastAttempt is one of them. Its times are ages by the database's clock.
type pastAttempt struct {
	Action        Action
	Outcome       Outcome // empty while there is none
	LateOutcome   Outcome
	LateMessageID string
	StartedAgo    time.Duration
	EndedAgo      time.Duration // 0 while it has not ended
}

// readHistory reads the attempts of a task whose row the transaction has locked.
func readHistory(ctx context.Context, tx pgx.Tx, taskID int64) (history, error) {
	rows, err := tx.Query(ctx, `
		SELECT action, coalesce(outcome, ''), coalesce(late_outcome, ''), coalesce(late_msg_id, ''),
		       (extract(epoch FROM now() - started_at) * 1000000)::bigint,
		       (extract(epoch FROM now() - coalesce(finished_at, now())) * 1000000)::bigint
		  FROM delivery_attempt
		 WHERE task_id = $1
		 ORDER BY id`, taskID)
	if err != nil {
		return nil, fmt.Errorf("read the attempts of task %d: %w", taskID, err)
	}
	past, err := pgx.CollectRows(rows, scanPastAttempt)
	if err != nil {
		return nil, fmt.Errorf("read the attempts of task %d: %w", taskID, err)
	}
	return past, nil
}

func scanPastAttempt(row pgx.CollectableRow) (pastAttempt, error) {
	var attempt pastAttempt
	var startedMicros, endedMicros int64
	err := row.Scan(&attempt.Action, &attempt.Outcome, &attempt.LateOutcome, &attempt.LateMessageID,
		&startedMicros, &endedMicros)
	attempt.StartedAgo = time.Duration(startedMicros) * time.Microsecond
	attempt.EndedAgo = time.Duration(endedMicros) * time.Microsecond
	return attempt, err
}

// lateAcceptance is the message id of the first acceptance that came too late to count.
func (h history) lateAcceptance() (string, bool) {
	for _, attempt := range h {
		if attempt.LateOutcome.acceptance() {
			return attempt.LateMessageID, true
		}
	}
	return "", false
}

// lostHolder tells whether an attempt ended only because its lease did: its holder may be paused
// and still send.
func (h history) lostHolder() bool {
	for _, attempt := range h {
		if attempt.Outcome == LeaseExpired {
			return true
		}
	}
	return false
}

// settleLeft is how much of the settle time after the last send is still to come.
func (h history) settleLeft(settle time.Duration) time.Duration {
	left := time.Duration(0)
	for _, attempt := range h {
		if attempt.Action == Send {
			left = max(left, settle-attempt.EndedAgo)
		}
	}
	return left
}

// provesAbsence tells whether the last attempt was a query that found nothing, and was asked
// when the settle time of every send before it was over.
func (h history) provesAbsence(settle time.Duration) bool {
	if len(h) == 0 {
		return false
	}
	last := h[len(h)-1]
	if last.Outcome != QueryNotFound {
		return false
	}
	for _, attempt := range h {
		if attempt.Action == Send && attempt.EndedAgo-last.StartedAgo < settle {
			return false
		}
	}
	return true
}
