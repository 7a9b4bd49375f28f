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

// connectRestorer opens the connection that makes the database blank again, or gives the open one.
// Nobody uses the database meanwhile.
func (d *Database) connectRestorer(ctx context.Context) (*pgx.Conn, error) {
	if d.restorer != nil && !d.restorer.IsClosed() {
		return d.restorer, nil
	}
	connection, err := pgx.Connect(ctx, d.cluster().ConnString(d.inServer))
	if err != nil {
		return nil, err
	}
	d.restorer = connection
	return connection, nil
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
	if d.restorer != nil {
		idle = append(idle, d.restorer)
	}
	var failures []error
	for _, connection := range idle {
		failures = append(failures, connection.Close(ctx))
	}
	if d.backends != nil {
		failures = append(failures, d.backends.Close())
	}
	return errors.Join(failures...)
}
