package outbox

import (
	"context"
	"fmt"
)

// RecordStatus writes down what a broker said of itself, in the database of schema/observed.sql:
// the messages that it keeps, those it never delivered, those that are not acknowledged, its dead
// letters.
func RecordStatus(
	ctx context.Context, observed Database, messages, pending, ackPending, dead int64,
) error {
	tx, err := begin(ctx, observed)
	if err != nil {
		return err
	}
	defer rollBack(ctx, tx)
	_, err = tx.Exec(ctx, `
		INSERT INTO broker_status (messages, pending, ack_pending, dead) VALUES ($1, $2, $3, $4)`,
		messages, pending, ackPending, dead)
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		return fmt.Errorf("record the broker's status: %w", err)
	}
	return nil
}
