package outbox

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Redriven is a dead letter that was sent again.
type Redriven struct {
	LetterID   int64
	MessageID  string
	DeliveryID int64 // the new delivery
}

// Redrive sends dead letters again that were not sent again before: the one with the id given, or
// with id 0 all of them. Each gets a new delivery, with no failures and due at once; the letter
// stays on record with the delivery it became. All of it is one transaction; letters that another
// Redrive holds are passed over.
func (q *Queue) Redrive(ctx context.Context, letterID int64) ([]Redriven, error) {
	tx, err := begin(ctx, q.database)
	if err != nil {
		return nil, err
	}
	defer rollBack(ctx, tx)
	letters, err := lockLetters(ctx, tx, letterID)
	if err != nil {
		return nil, err
	}
	redriven := make([]Redriven, 0, len(letters))
	for _, letter := range letters {
		id, err := insertDelivery(ctx, tx, letter.message)
		if err != nil {
			return nil, fmt.Errorf("send dead letter %d again: %w", letter.id, err)
		}
		_, err = tx.Exec(ctx, `
			UPDATE dead_letter SET redriven_at = now(), redriven_as = $2 WHERE letter_id = $1`,
			letter.id, id)
		if err != nil {
			return nil, fmt.Errorf("note what dead letter %d became: %w", letter.id, err)
		}
		redriven = append(redriven, Redriven{letter.id, letter.message.ID, id})
	}
	if err := tx.Commit(ctx); err != nil {
		return nil, fmt.Errorf("commit the redriven letters: %w", err)
	}
	return redriven, nil
}

// letter is a dead letter under a lock.
type letter struct {
	id      int64
	message Message
}

func lockLetters(ctx context.Context, tx pgx.Tx, letterID int64) ([]letter, error) {
	rows, err := tx.Query(ctx, `
		SELECT letter_id, msg_id, payload
		  FROM dead_letter
		 WHERE redriven_at IS NULL AND ($1::bigint = 0 OR letter_id = $1::bigint)
		 ORDER BY letter_id
		   FOR UPDATE SKIP LOCKED`, letterID)
	if err != nil {
		return nil, fmt.Errorf("lock dead letters: %w", err)
	}
	letters, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (letter, error) {
		var found letter
		err := row.Scan(&found.id, &found.message.ID, &found.message.Payload)
		return found, err
	})
	if err != nil {
		return nil, fmt.Errorf("lock dead letters: %w", err)
	}
	return letters, nil
}
