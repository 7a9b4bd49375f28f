package postgres

import (
	"context"
	_ "embed" // for the queries
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed survey.sql
var surveySQL string

//go:embed fingerprint.sql
var fingerprintSQL string

// Blank is how a database is when nobody has used it, so that a used one can be made so again:
// TRUNCATE … RESTART IDENTITY is a tenth of what a new clone costs, and its backends stay warm.
type Blank struct {
	tables, sequences []string
	fingerprint       string
}

// ErrUsed is why a database can't be made blank again: somebody changed more than rows.
var ErrUsed = errors.New("more than its rows and sequences has changed")

// Survey learns what a database is like that nobody has used yet. It gives nil, and no error, for
// one that TRUNCATE would not make blank again: from the beginning it holds rows, foreign tables,
// materialized views, or triggers that fire on TRUNCATE.
func Survey(ctx context.Context, conn *pgx.Conn) (*Blank, error) {
	blank := &Blank{}
	var others []string
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, surveySQL).Scan(&blank.tables, &blank.sequences, &others)
		if err != nil {
			return err
		}
		blank.fingerprint, err = fingerprint(ctx, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("survey database %s: %w", conn.Config().Database, err)
	}
	if len(others) > 0 {
		return nil, nil
	}
	holds := []string{"SELECT false"}
	for _, table := range blank.tables {
		holds = append(holds, "SELECT EXISTS (SELECT FROM "+table+")")
	}
	for _, sequence := range blank.sequences {
		holds = append(holds, "SELECT pg_sequence_last_value('"+quote(sequence)+"') IS NOT NULL")
	}
	var used bool
	err = conn.QueryRow(ctx, "SELECT bool_or(bool) FROM ("+strings.Join(holds, " UNION ALL ")+
		") AS used(bool)").Scan(&used)
	if err != nil {
		return nil, fmt.Errorf("survey database %s: %w", conn.Config().Database, err)
	}
	if used {
		return nil, nil
	}
	return blank, nil
}

// lockLimit bounds how long Restore waits for a lock: nobody ought to hold one. PostgreSQL's units.
const lockLimit = "2s"

// Restore makes a used database blank again. Its error is ErrUsed when that can't be done, and
// nothing is lost by dropping the database instead, whatever the error is. A connection that is
// kept for this alone spares it most of the work: what is asked is prepared there once.
func (b *Blank) Restore(ctx context.Context, conn *pgx.Conn) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		now, err := fingerprint(ctx, tx)
		if err != nil {
			return err
		}
		if now != b.fingerprint {
			return ErrUsed
		}
		return b.empty(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("make database %s blank again: %w", conn.Config().Database, err)
	}
	return nil
}

// empty empties the tables that have ever had a row, and sets back the sequences that have ever
// been asked: each table costs new files.
func (b *Blank) empty(ctx context.Context, tx pgx.Tx) error {
	var tables, sequences string
	if err := tx.QueryRow(ctx, b.touched()).Scan(&tables, &sequences); err != nil {
		return err
	}
	var statements []string
	if tables != "" {
		statements = append(statements, "TRUNCATE "+tables+" CASCADE")
	}
	if sequences != "" {
		statements = append(statements, "SELECT "+sequences)
	}
	if len(statements) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, strings.Join(statements, "; "), pgx.QueryExecModeSimpleProtocol)
	return err
}

// fingerprint asks for everything that TRUNCATE does not undo. What PostgreSQL itself has defined
// is most of each catalog: by their indexes only the rest is read.
func fingerprint(ctx context.Context, tx pgx.Tx) (print string, err error) {
	_, err = tx.Exec(ctx, "SET LOCAL lock_timeout = '"+lockLimit+"'; SET LOCAL enable_seqscan = off",
		pgx.QueryExecModeSimpleProtocol)
	if err == nil {
		err = tx.QueryRow(ctx, fingerprintSQL).Scan(&print)
	}
	return print, err
}

// touched asks for the tables that have ever had a row, as TRUNCATE lists them, and for the calls
// that set back the sequences that have ever been asked.
func (b *Blank) touched() string {
	return `SELECT
    (SELECT coalesce(string_agg(name, ', '), '') FROM unnest(` + array(b.tables) + `) AS name
        WHERE pg_relation_size(name::regclass) > 0
           OR EXISTS (SELECT FROM pg_inherits WHERE inhparent = name::regclass)),
    (SELECT coalesce(string_agg(format('setval(%L, %s, false)', name, seqstart), ', '), '')
        FROM unnest(` + array(b.sequences) + `) AS name, pg_sequence
        WHERE seqrelid = name::regclass AND pg_sequence_last_value(name::regclass) IS NOT NULL)`
}

func array(names []string) string {
	literals := make([]string, len(names))
	for i, name := range names {
		literals[i] = "'" + quote(name) + "'"
	}
	return "ARRAY[" + strings.Join(literals, ", ") + "]::text[]"
}

func quote(text string) string { return strings.ReplaceAll(text, "'", "''") }
