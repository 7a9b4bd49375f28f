package lab

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Connect is a connection of the harness's own, past every proxy. It goes back with Release.
func (d *Database) Connect(ctx context.Context) (*pgx.Conn, error) {
	d.mutex.Lock()
	if last := len(d.idle) - 1; last >= 0 {
		connection := d.idle[last]
		d.idle = d.idle[:last]
		d.mutex.Unlock()
		return connection, nil
	}
	d.mutex.Unlock()
	return pgx.Connect(ctx, d.cluster().ConnString(d.inServer))
}

// Release takes a connection of Connect back: what it holds is let go, and it is kept for the next
// who asks, or closed where backends are not kept.
func (d *Database) Release(ctx context.Context, connection *pgx.Conn) error {
	if d.backends == nil || connection.IsClosed() || clean(ctx, connection) != nil {
		return connection.Close(ctx)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.idle = append(d.idle, connection)
	return nil
}

// clean takes a session back to how it began, and the driver's memory of what it prepared.
func clean(ctx context.Context, connection *pgx.Conn) error {
	if connection.PgConn().TxStatus() != 'I' {
		if _, err := connection.Exec(ctx, "ROLLBACK", pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	if err := connection.DeallocateAll(ctx); err != nil {
		return err
	}
	_, err := connection.Exec(ctx, "DISCARD ALL", pgx.QueryExecModeSimpleProtocol)
	return err
}

// closeAll ends the connections and backends that are kept.
func (d *Database) closeAll(ctx context.Context) error {
	d.mutex.Lock()
	idle := d.idle
	d.idle = nil
	d.mutex.Unlock()
	var failures []error
	for _, connection := range idle {
		failures = append(failures, connection.Close(ctx))
	}
	if d.backends != nil {
		failures = append(failures, d.backends.Close())
	}
	return errors.Join(failures...)
}
