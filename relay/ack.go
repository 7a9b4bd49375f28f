package relay

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// told is one item that an ACK is for, as the queue has it.
type told struct {
	id         string
	tenant     string
	seq        int64
	isAcked    bool
	deliveries int64
}

// takeACKs takes in what the sink has said, and returns how many items it was the first ACK of. A
// repeated one changes nothing but its own count.
func takeACKs(ctx context.Context, database Database, ids []string) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	heard := slices.Compact(slices.Sorted(slices.Values(ids)))
	var fresh int
	err := pgx.BeginTxFunc(ctx, database, readCommitted(), func(tx pgx.Tx) (err error) {
		fresh, err = takeIn(ctx, tx, heard, len(ids)-len(heard))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("take in the ACKs of %d items: %w", len(heard), err)
	}
	return fresh, nil
}

// takeIn locks the tenants before anything of theirs, in one order.
func takeIn(ctx context.Context, tx pgx.Tx, heard []string, again int) (int, error) {
	_, err := tx.Exec(ctx, `
		SELECT FROM tenant WHERE name IN (SELECT tenant FROM item WHERE id = ANY($1))
		 ORDER BY name FOR UPDATE`, heard)
	if err != nil {
		return 0, fmt.Errorf("lock the tenants: %w", err)
	}
	items, err := readTold(ctx, tx, heard)
	if err != nil {
		return 0, err
	}
	fresh := 0
	counts := map[string]*changes{}
	for _, item := range items {
		if counts[item.tenant] == nil {
			counts[item.tenant] = &changes{}
		}
		isFresh, err := ackOne(ctx, tx, item, counts[item.tenant])
		if err != nil {
			return 0, err
		}
		if isFresh {
			fresh++
		}
	}
	if err := takeStrays(ctx, tx, heard, items, again, counts); err != nil {
		return 0, err
	}
	for _, tenant := range slices.Sorted(maps.Keys(counts)) {
		if err := counts[tenant].write(ctx, tx, tenant); err != nil {
			return 0, err
		}
	}
	return fresh, nil
}

func readTold(ctx context.Context, tx pgx.Tx, heard []string) ([]told, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, tenant, seq_no, acked_as IS NOT NULL, deliveries
		  FROM item WHERE id = ANY($1) ORDER BY id FOR UPDATE`, heard)
	if err != nil {
		return nil, fmt.Errorf("read the items: %w", err)
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (item told, err error) {
		err = row.Scan(&item.id, &item.tenant, &item.seq, &item.isAcked, &item.deliveries)
		return item, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the items: %w", err)
	}
	return items, nil
}

// ackOne takes one item out of the unacked ones, unless an earlier ACK has.
func ackOne(ctx context.Context, tx pgx.Tx, item told, counted *changes) (bool, error) {
	if item.isAcked {
		counted.add(acksRepeated, 1)
		return false, nil
	}
	tag, err := tx.Exec(ctx, `
		UPDATE item SET acked_as = nextval('ledger'), due_at = NULL, parked = false
		 WHERE id = $1 AND acked_as IS NULL`, item.id)
	if err != nil {
		return false, fmt.Errorf("ack item %s: %w", item.id, err)
	}
	counted.add(sinkReceived, 1)
	counted.add(acked, tag.RowsAffected())
	if item.deliveries > 0 {
		counted.add(pushesDelivered, 1)
	}
	_, err = tx.Exec(ctx, `UPDATE tenant SET last_acked_seq = $2 WHERE name = $1`,
		item.tenant, item.seq)
	if err != nil {
		return false, fmt.Errorf("note the last acked sequence number of %s: %w", item.tenant, err)
	}
	return tag.RowsAffected() > 0, nil
}

// takeStrays notes the ACKs of items that the queue never had: the sink has caught what the relay
// has not sent. They and the repetitions in one answer are nobody's.
func takeStrays(
	ctx context.Context, tx pgx.Tx, heard []string, items []told, again int,
	counts map[string]*changes,
) error {
	var strays []string
	for _, id := range heard {
		if !slices.ContainsFunc(items, func(item told) bool { return item.id == id }) {
			strays = append(strays, id)
		}
	}
	nobody := &changes{}
	if again > 0 {
		nobody.add(acksRepeated, int64(again))
	}
	if len(strays) > 0 {
		tag, err := tx.Exec(ctx, `
			INSERT INTO stray_ack (item) SELECT unnest($1::text[]) ON CONFLICT (item) DO NOTHING`,
			strays)
		if err != nil {
			return fmt.Errorf("note ACKs of unknown items: %w", err)
		}
		nobody.add(sinkReceived, tag.RowsAffected())
	}
	if len(*nobody) > 0 {
		counts[""] = nobody
	}
	return nil
}
