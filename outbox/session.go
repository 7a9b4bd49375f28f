package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Database is where transactions begin: a connection, a pool or a Session.
type Database interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Session is one connection that is opened when it is first needed and again after it was lost.
// It is for one user at a time.
type Session struct {
	url        string
	connection *pgx.Conn
}

// NewSession makes a Session on the database that url names; it opens nothing yet.
func NewSession(url string) *Session { return &Session{url: url} }

// BeginTx begins a transaction, on a new connection if there is none that works.
func (s *Session) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	if s.connection == nil || s.connection.IsClosed() {
		connection, err := connect(ctx, s.url)
		if err != nil {
			return nil, err
		}
		s.connection = connection
	}
	return s.connection.BeginTx(ctx, options)
}

// connect prepares no statements: each takes one round trip, and none keeps a plan from when the
// tables were small.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database's URL: %w", err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	connection, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return connection, nil
}

// Close ends the connection, if there is one.
func (s *Session) Close(ctx context.Context) error {
	if s.connection == nil || s.connection.IsClosed() {
		return nil
	}
	if err := s.connection.Close(ctx); err != nil {
		return fmt.Errorf("close the database connection: %w", err)
	}
	return nil
}

// begin begins a transaction at the level that every rule here is made for, whatever the database's
// default: a statement sees what was committed before it began.
func begin(ctx context.Context, database Database) (pgx.Tx, error) {
	tx, err := database.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return nil, fmt.Errorf("begin a transaction: %w", err)
	}
	return tx, nil
}

// rollbackLimit bounds the farewell to a transaction whose server may not answer any more.
const rollbackLimit = 5 * time.Second

// rollBack ends a transaction that was not committed; after a commit it does nothing. Its error
// says nothing new: the server rolls back by itself when the connection goes.
func rollBack(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// milliseconds is how a duration is bound as a parameter.
func milliseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}
