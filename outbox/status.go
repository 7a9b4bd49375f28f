package outbox

import (
	"context"
	"fmt"
)

// BrokerStatus is what a broker says of itself.
type BrokerStatus struct {
	Messages   uint64 // kept in the stream
	Pending    uint64 // never delivered; it lags a little behind Messages
	AckPending int    // delivered, and not acknowledged
	Dead       uint64 // dead letters
	// StreamLeader and ConsumerLeader are the nodes of a cluster that answer for them; empty where
	// the broker is alone.
	StreamLeader, ConsumerLeader string
}

// RecordStatus writes down what a broker said of itself, in the database of schema/observed.sql.
func RecordStatus(ctx context.Context, observed Database, status BrokerStatus) error {
	tx, err := begin(ctx, observed)
	if err != nil {
		return err
	}
	defer rollBack(ctx, tx)
	_, err = tx.Exec(ctx, `
		INSERT INTO broker_status
		       (messages, pending, ack_pending, dead, stream_leader, consumer_leader)
		VALUES ($1, $2, $3, $4, nullif($5, ''), nullif($6, ''))`,
		int64(status.Messages), int64(status.Pending), status.AckPending, int64(status.Dead),
		status.StreamLeader, status.ConsumerLeader)
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		return fmt.Errorf("record the broker's status: %w", err)
	}
	return nil
}
