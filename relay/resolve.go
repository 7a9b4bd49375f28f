package relay

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrNotParked is an item that waits for nobody.
var ErrNotParked = errors.New("the item is not parked")

// Resolve lets a parked item be delivered again, at once and as often as a new one. It stays
// unacked: that ends by an ACK alone. An item that is not parked, or not there, is ErrNotParked.
func Resolve(ctx context.Context, database Database, item, note string) error {
	err := pgx.BeginTxFunc(ctx, database, readCommitted(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			UPDATE item SET parked = false, refusals = 0, due_at = now(), note = $2
			 WHERE id = $1 AND parked`, item, note)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrNotParked
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("resolve item %s: %w", item, err)
	}
	return nil
}
