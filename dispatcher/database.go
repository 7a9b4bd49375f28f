package dispatcher

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Database is where transactions begin: a connection, a pool or a Session.
type Database interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Session is one connection that is opened when it is first needed and again after it was lost. It is
// for one user at a time.
type Session struct {
	url        string
	connection *pgx.Conn
}

// NewSession makes a Session on the database that url names; it opens nothing yet.
func NewSession(url string) *Session { return &Session{url: url} }

// BeginTx begins a transaction, on a new connection if there is none that works.
func (s *Session) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	if s.connection == nil || s.connection.IsClosed() {
		connection, err := pgx.Connect(ctx, s.url)
		if err != nil {
			return nil, fmt.Errorf("connect to the database: %w", err)
		}
		s.connection = connection
	}
	return s.connection.BeginTx(ctx, options)
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
// statement sees what was committed before it began, and an UPDATE that waited for a lock looks at
// its condition again.
func readCommitted() pgx.TxOptions { return pgx.TxOptions{IsoLevel: pgx.ReadCommitted} }

// milliseconds is how a duration is bound as a parameter.
func milliseconds(duration time.Duration) float64 {
	return float64(duration) / float64(time.Millisecond)
}

// orNull is nil for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// newToken is a random UUID (RFC 9562 version 4). crypto/rand never fails.
func newToken() string {
	var token [16]byte
	rand.Read(token[:])
	token[6] = token[6]&0x0f | 0x40
	token[8] = token[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", token[:4], token[4:6], token[6:8], token[8:10], token[10:])
}
