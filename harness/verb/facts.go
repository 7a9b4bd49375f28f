package verb

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/fact"
	"lostreply/harness/scenario"
)

// rowsOfAFact bounds how many rows of each fact are shown.
const rowsOfAFact = 5

// factsNow are all facts of the system, for a reader who asks why a check does not hold: read where
// that read its own. A fact that can't be read says so, and spoils nothing.
func factsNow(ctx context.Context, on observer, fresh bool) []string {
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	var lines, empty []string
	for _, entry := range on.Scenario().Under.Facts.Entries {
		table, err := aside(ctx, on, entry.Value, fresh)
		if err != nil {
			lines = append(lines, entry.Name+": "+check.Shorten(err.Error()))
			continue
		}
		rows := table.Listing(rowsOfAFact)
		switch len(rows) {
		case 0:
			empty = append(empty, entry.Name)
		case 1:
			lines = append(lines, entry.Name+": "+rows[0])
		default:
			lines = append(lines, entry.Name+":")
			for _, row := range rows {
				lines = append(lines, "  "+row)
			}
		}
	}
	if len(empty) > 0 {
		lines = append(lines, "no rows: "+strings.Join(empty, ", "))
	}
	return lines
}

// aside reads a fact in a transaction of its own, or within the snapshot that is open: an error in
// it leaves that as it was.
func aside(
	ctx context.Context, on observer, definition scenario.Fact, fresh bool,
) (check.Table, error) {
	reader, err := on.Reader(ctx, definition.Database, fresh)
	if err != nil {
		return check.Table{}, err
	}
	outer, can := reader.(interface {
		Begin(ctx context.Context) (pgx.Tx, error)
	})
	if !can {
		return fact.Read(ctx, reader, definition.SQL)
	}
	inner, err := outer.Begin(ctx)
	if err != nil {
		return check.Table{}, err
	}
	table, err := fact.Read(ctx, inner, definition.SQL)
	if undone := inner.Rollback(ctx); err == nil {
		err = undone
	}
	return table, err
}
