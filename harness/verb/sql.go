package verb

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
	"lostreply/harness/strict"
)

// sessions gives the harness's own sessions.
type sessions interface {
	controls
	Session(ctx context.Context, database strict.Text, session string) (*pgx.Conn, error)
	Scenario() *scenario.Scenario
}

// sql runs statements in a session of the harness. One that changes no row although it was meant to
// leaves the scenario inconclusive: what follows would prove nothing.
func sql(ctx context.Context, on sessions, step *scenario.SQL) error {
	ctx, cancel := clock.WithDeadline(ctx, on.Scenario().Limit())
	defer cancel()
	var connection *pgx.Conn
	var err error
	if step.Session == "" {
		connection, err = on.Control(ctx, step.Database)
	} else {
		connection, err = on.Session(ctx, step.Database, step.Session)
	}
	if err != nil {
		return err
	}
	results, err := connection.PgConn().Exec(ctx, step.Run).ReadAll()
	if err != nil {
		return sqlTrouble(ctx, err)
	}
	return changed(step, results)
}

func sqlTrouble(ctx context.Context, err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return stage.Inconclusive{Reason: fmt.Sprintf("sql: %s (SQLSTATE %s)",
			refused.Message, refused.Code)}
	}
	if ctx.Err() != nil {
		return stage.Inconclusive{Reason: fmt.Sprintf("sql did not end: %v", context.Cause(ctx))}
	}
	return fmt.Errorf("sql: %w", err)
}

// changed judges the number of rows that the last INSERT, UPDATE or DELETE changed.
func changed(step *scenario.SQL, results []*pgconn.Result) error {
	for i := len(results) - 1; i >= 0; i-- {
		tag := results[i].CommandTag
		if !tag.Insert() && !tag.Update() && !tag.Delete() {
			continue
		}
		rows := tag.RowsAffected()
		switch {
		case step.Changes == nil && rows == 0:
			return stage.Inconclusive{Reason: fmt.Sprintf(
				"sql: %s changed no row; if that is meant, say changes: 0", tag)}
		case step.Changes != nil && rows != int64(*step.Changes):
			return stage.Inconclusive{Reason: fmt.Sprintf(
				"sql: %s changed %d rows, not %d", tag, rows, *step.Changes)}
		}
		return nil
	}
	if step.Changes != nil {
		return stage.Inconclusive{Reason: "sql: changes is given, but nothing was to change rows"}
	}
	return nil
}
