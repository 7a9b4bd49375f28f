package clock

import (
	"context"
	_ "embed" // the SQL of the movable clock
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed install.sql
var installSQL string

//go:embed advance.sql
var advanceSQL string

//go:embed reset.sql
var resetSQL string

// Mode says what a database's clock does between two advances.
type Mode string

const (
	// Frozen stands still, so that a busy machine never expires a lease.
	Frozen Mode = "frozen"
	// Moving runs on at the pace of real time.
	Moving Mode = "moving"
)

// ErrRefused is what Install ends with when the role may not replace functions of pg_catalog.
var ErrRefused = errors.New("the movable clock can't be installed")

// InstallSQL is the text that Install executes; whoever keeps a database with the clock in it for
// later runs knows by it whether that one is out of date.
func InstallSQL() string { return installSQL }

// Install puts the movable clock into the database of conn, whose now(), transaction_timestamp(),
// statement_timestamp() and clock_timestamp() then show a time that Advance moves, for every client
// of this database and no other. Databases made with this one as their template inherit it. It has
// to come before any schema, and needs a superuser: ErrRefused otherwise. The clock begins Moving,
// with nothing added. CURRENT_TIMESTAMP and its kin are not functions and stay real: see Uncaught.
func Install(ctx context.Context, conn *pgx.Conn) error {
	database := conn.Config().Database
	if conn.PgConn().ParameterStatus("is_superuser") != "on" {
		return fmt.Errorf("%w in database %s: the role %s is not a superuser, and only a superuser"+
			" may replace functions of pg_catalog; use a superuser's URL, or no `advance` and"+
			" no `clock: frozen`", ErrRefused, database, conn.Config().User)
	}
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, installSQL)
		return err
	})
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) && refusal.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("%w in database %s: %w", ErrRefused, database, err)
	}
	if err != nil {
		return fmt.Errorf("install the movable clock in database %s: %w", database, err)
	}
	return nil
}

// Advance moves the clock of conn's database on by a duration (whole microseconds, the resolution
// of PostgreSQL's timestamps). A transaction that has begun keeps its now(), as it would while
// real time passes; clock_timestamp() and every later statement_timestamp() and transaction see
// the new time at once.
func Advance(ctx context.Context, conn *pgx.Conn, by time.Duration) error {
	tag, err := conn.Exec(ctx, advanceSQL, by.Microseconds())
	if err == nil && tag.RowsAffected() != 1 {
		err = errors.New("the table lostreply.clock has lost its rows")
	}
	if err != nil {
		return fmt.Errorf("advance the clock of database %s by %s: %w",
			conn.Config().Database, by, err)
	}
	return nil
}

// Reset begins the clock of conn's database anew at the real present, with nothing added, either
// standing still or moving on. No transaction of the system should be open.
func Reset(ctx context.Context, conn *pgx.Conn, mode Mode) error {
	tag, err := conn.Exec(ctx, resetSQL, mode == Frozen)
	if err == nil && tag.RowsAffected() != 1 {
		err = errors.New("the table lostreply.clock has lost its rows")
	}
	if err != nil {
		return fmt.Errorf("reset the clock of database %s to %s: %w",
			conn.Config().Database, mode, err)
	}
	return nil
}
