package relay

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

// readCommitted is the level that every rule here is made for, whatever the database's default: a
// statement sees what was committed before it began, so what is counted behind a lock is complete.
func readCommitted() pgx.TxOptions { return pgx.TxOptions{IsoLevel: pgx.ReadCommitted} }

// milliseconds is how a duration is bound as a parameter.
func milliseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}
