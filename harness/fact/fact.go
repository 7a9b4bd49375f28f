// Package fact reads facts at the edge: what SQL says, as plain values that checks compare. It
// never asks a worker.
package fact

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"lostreply/harness/check"
)

// Reader is a connection or a transaction.
type Reader interface {
	Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error)
}

// Read reads a query's rows. Its error is PostgreSQL's own, with the query's beginning.
func Read(ctx context.Context, reader Reader, sql string) (check.Table, error) {
	rows, err := reader.Query(ctx, sql, pgx.QueryExecModeDescribeExec)
	if err != nil {
		return check.Table{}, fmt.Errorf("read %q: %w", head(sql), err)
	}
	defer rows.Close()
	table := check.Table{}
	for _, field := range rows.FieldDescriptions() {
		table.Columns = append(table.Columns, field.Name)
	}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return check.Table{}, fmt.Errorf("read %q: %w", head(sql), err)
		}
		for i := range values {
			values[i] = plain(values[i])
		}
		table.Rows = append(table.Rows, values)
	}
	if err := rows.Err(); err != nil {
		return check.Table{}, fmt.Errorf("read %q: %w", head(sql), err)
	}
	return table, nil
}

// Snapshot runs read inside one snapshot of the database, so that facts that are read one after the
// other agree even while workers go on.
func Snapshot(ctx context.Context, connection *pgx.Conn, read func(Reader) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, connection, options, func(tx pgx.Tx) error { return read(tx) })
}

func head(sql string) string {
	const most = 80
	folded := strings.Join(strings.Fields(sql), " ")
	if len(folded) > most {
		return folded[:most] + "…"
	}
	return folded
}

// plain turns what the driver gives into the values that a check knows. What it does not know is
// written as PostgreSQL writes it.
func plain(value any) any {
	switch v := value.(type) {
	case uint32: // an oid or xid
		return int64(v)
	case [16]byte:
		return uuid(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case pgtype.Numeric:
		return numeric(v)
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = plain(element)
		}
		return list
	case driver.Valuer:
		return written(v)
	case fmt.Stringer:
		return v.String()
	default:
		return v
	}
}

func uuid(v [16]byte) string {
	text := hex.EncodeToString(v[:])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

func numeric(v pgtype.Numeric) any {
	if text, ok := written(v).(string); ok {
		return check.Number(text)
	}
	return nil
}

// written is the text form of a value of a type that has one.
func written(value driver.Valuer) any {
	text, err := value.Value()
	if err != nil {
		return fmt.Sprint(value)
	}
	return text
}
