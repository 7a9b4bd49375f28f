package outbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Queue is a durable transport in a database of its own, that of schema/queue.sql: one row for each
// physical delivery. It is as safe for concurrent use as its Database.
type Queue struct{ database Database }

// NewQueue makes a Queue over a database.
func NewQueue(database Database) *Queue { return &Queue{database: database} }

// Send writes a delivery of the message and commits it.
func (q *Queue) Send(ctx context.Context, message Message) (string, error) {
	tx, err := begin(ctx, q.database)
	if err != nil {
		return "", err
	}
	defer rollBack(ctx, tx)
	id, err := insertDelivery(ctx, tx, message)
	if err != nil {
		return "", err
	}
	if err := tx.Commit(ctx); err != nil {
		return "", fmt.Errorf("commit the delivery: %w", err)
	}
	return strconv.FormatInt(id, 10), nil
}

func insertDelivery(ctx context.Context, tx pgx.Tx, message Message) (int64, error) {
	var id int64
	err := tx.QueryRow(ctx, `
		INSERT INTO delivery (msg_id, payload) VALUES ($1, $2) RETURNING delivery_id`,
		message.ID, message.Payload).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("write the delivery: %w", err)
	}
	return id, nil
}

// Take locks the delivery that has been due longest and is neither acknowledged nor buried; rows
// that another consumer holds are passed over. It returns nil when none is due.
func (q *Queue) Take(ctx context.Context) (Delivery, error) {
	return q.take(ctx, `
		SELECT delivery_id, msg_id, payload, failures
		  FROM delivery
		 WHERE acked_at IS NULL AND buried_at IS NULL AND next_attempt_at <= now()
		 ORDER BY next_attempt_at, delivery_id
		 LIMIT 1
		   FOR UPDATE SKIP LOCKED`)
}

// TakeDelivery is Take for one delivery by its id, due or not.
func (q *Queue) TakeDelivery(ctx context.Context, id string) (Delivery, error) {
	return q.take(ctx, `
		SELECT delivery_id, msg_id, payload, failures
		  FROM delivery
		 WHERE acked_at IS NULL AND buried_at IS NULL AND delivery_id = $1::bigint
		   FOR UPDATE SKIP LOCKED`, id)
}

func (q *Queue) take(ctx context.Context, query string, arguments ...any) (Delivery, error) {
	tx, err := begin(ctx, q.database)
	if err != nil {
		return nil, err
	}
	taken := &queued{tx: tx}
	err = tx.QueryRow(ctx, query, arguments...).Scan(
		&taken.id, &taken.message.ID, &taken.message.Payload, &taken.failures)
	if err == nil {
		return taken, nil
	}
	rollBack(ctx, tx)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return nil, fmt.Errorf("take a delivery: %w", err)
}

// queued is a delivery under this consumer's lock, which lasts until one of its ends.
type queued struct {
	id       int64
	message  Message
	failures int
	tx       pgx.Tx
}

func (d *queued) ID() string       { return strconv.FormatInt(d.id, 10) }
func (d *queued) Message() Message { return d.message }
func (d *queued) Failures() int    { return d.failures }

// Ack implements Delivery.
func (d *queued) Ack(ctx context.Context) error {
	return d.end(ctx, "acknowledge", `
		UPDATE delivery SET acked_at = now(), last_error = NULL WHERE delivery_id = $1`, d.id)
}

// PutOff implements Delivery.
func (d *queued) PutOff(ctx context.Context, delay time.Duration, reason error) error {
	return d.end(ctx, "put off", `
		UPDATE delivery
		   SET failures = failures + 1, last_error = $2,
		       next_attempt_at = now() + make_interval(secs => $3::float8 / 1000)
		 WHERE delivery_id = $1`, d.id, reason.Error(), milliseconds(delay))
}

// Bury implements Delivery. The letter and the end of the delivery are one transaction.
func (d *queued) Bury(ctx context.Context, why Reason, detail error) error {
	return d.end(ctx, "bury", `
		WITH buried AS (
			UPDATE delivery
			   SET buried_at = now(), last_error = $3,
			       failures = failures + CASE WHEN $2 = 'FAILURES' THEN 1 ELSE 0 END
			 WHERE delivery_id = $1
			RETURNING delivery_id, msg_id, payload, failures)
		INSERT INTO dead_letter (delivery_id, msg_id, payload, failures, reason, error)
		SELECT delivery_id, msg_id, payload, failures, $2, $3 FROM buried`,
		d.id, string(why), detail.Error())
}

func (d *queued) end(ctx context.Context, what, statement string, arguments ...any) error {
	_, err := d.tx.Exec(ctx, statement, arguments...)
	if err == nil {
		err = d.tx.Commit(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s delivery %d of message %s (it may come again): %w",
			what, d.id, d.message.ID, err)
	}
	return nil
}

// Release implements Delivery.
func (d *queued) Release(ctx context.Context) { rollBack(ctx, d.tx) }
