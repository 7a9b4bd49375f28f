package relay

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// makeQueue makes the queue if there is none. Its capacity is a property of the queue from then on:
// a contract that says something else later is not the queue that there is.
func makeQueue(ctx context.Context, tx pgx.Tx, capacity int64) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO queue (capacity_bytes) VALUES ($1) ON CONFLICT (single) DO NOTHING`, capacity)
	if err != nil {
		return fmt.Errorf("make the queue: %w", err)
	}
	return nil
}

// capacityOf is what the queue really has, in bytes. It locks the queue: who writes next must see
// what this transaction wrote.
func capacityOf(ctx context.Context, tx pgx.Tx) (int64, error) {
	var capacity int64
	err := tx.QueryRow(ctx, `SELECT capacity_bytes FROM queue FOR UPDATE`).Scan(&capacity)
	if err != nil {
		return 0, fmt.Errorf("lock the queue and read its capacity: %w", err)
	}
	return capacity, nil
}

// findEarlier tells whether the event is in the queue already; the same sequence number with
// another body is a fault of the producer.
func findEarlier(ctx context.Context, tx pgx.Tx, e *event) (bool, *fault, error) {
	var body []byte
	err := tx.QueryRow(ctx, `SELECT (SELECT body FROM item WHERE id = $1)`, e.id()).Scan(&body)
	switch {
	case err != nil:
		return false, nil, fmt.Errorf("look for item %s: %w", e.id(), err)
	case body == nil:
		return false, nil, nil
	case !bytes.Equal(body, e.body):
		return false, faultOf(SequenceConflict,
			"item %s is in the queue with another body", e.id()), nil
	}
	return true, nil, nil
}

// writeItem writes an event into the queue, whole or not at all, and returns the bytes taken: all
// of them, or 0 when there is no room. The caller holds the queue's lock.
func writeItem(ctx context.Context, tx pgx.Tx, e *event, limit int64) (int64, error) {
	tag, err := tx.Exec(ctx, `
		INSERT INTO item (id, tenant, seq_no, body, bytes, unacked_limit)
		SELECT $1, $2, $3, $4, $5::bigint, $6
		 WHERE $5::bigint + (SELECT coalesce(sum(bytes), 0) FROM item WHERE acked_as IS NULL)
		       <= (SELECT capacity_bytes FROM queue)`,
		e.id(), e.tenant, e.seq, e.body, int64(len(e.body)), limit)
	if err != nil {
		return 0, fmt.Errorf("write item %s into the queue: %w", e.id(), err)
	}
	return tag.RowsAffected() * int64(len(e.body)), nil
}
