package relay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/postgres"
	"lostreply/harness/postgres/postgrestest"
)

// What is counted and claimed must cost the same whatever has been acked before: at most 1.5 times
// as much with 10^6 acked items as with 10^3. On tables that were never analyzed, and on analyzed
// ones.
func BenchmarkUnacked(b *testing.B) {
	for _, history := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("acked=%d", history), func(b *testing.B) {
			session := NewSession(realClockDatabase(b, fmt.Sprintf("acked_%d", history)))
			b.Cleanup(func() { _ = session.Close(context.Background()) })
			fill(b, session, history)
			b.Run("fresh", func(b *testing.B) { measureAll(b, session) })
			execute(b, session, "ANALYZE")
			b.Run("analyzed", func(b *testing.B) { measureAll(b, session) })
		})
	}
}

func measureAll(b *testing.B, session *Session) {
	ctx := b.Context()
	b.Run("count", func(b *testing.B) {
		measure(b, session, func(tx pgx.Tx) error {
			unacked, err := lockAndCount(ctx, tx, "t1")
			if err == nil && unacked != 8 {
				err = fmt.Errorf("%d unacked", unacked)
			}
			return err
		})
	})
	b.Run("write", func(b *testing.B) {
		e := &event{body: make([]byte, 85), tenant: "t1", seq: 1 << 40}
		measure(b, session, func(tx pgx.Tx) error {
			taken, err := writeItem(ctx, tx, e, 8)
			if err == nil && taken != 85 {
				err = fmt.Errorf("%d bytes taken", taken)
			}
			return err
		})
	})
	b.Run("claim", func(b *testing.B) {
		measure(b, session, func(tx pgx.Tx) error {
			item, err := claimIn(ctx, tx, time.Minute)
			if err == nil && item == nil {
				err = errors.New("nothing was due")
			}
			return err
		})
	})
}

// errPutBack makes the transaction roll back, so that the next one finds the same.
var errPutBack = errors.New("put back")

// measure reports the median and the fastest too: a neighbour's work on the same machine makes a
// mean of no use.
func measure(b *testing.B, session *Session, once func(pgx.Tx) error) {
	var took []time.Duration
	for b.Loop() {
		start := clock.Now()
		err := pgx.BeginTxFunc(b.Context(), session, readCommitted(), func(tx pgx.Tx) error {
			return errors.Join(once(tx), errPutBack)
		})
		if err.Error() != errPutBack.Error() {
			b.Fatal(err)
		}
		took = append(took, clock.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
	b.ReportMetric(float64(took[0].Microseconds()), "µs/fastest")
}

// fill writes acked items of four tenants, and eight unacked ones of each.
func fill(b *testing.B, session *Session, history int) {
	execute(b, session, `INSERT INTO tenant (name) SELECT 't' || n FROM generate_series(1, 4) AS n`)
	execute(b, session, `INSERT INTO queue (capacity_bytes) VALUES (262144)`)
	execute(b, session, fmt.Sprintf(`
		INSERT INTO item (id, tenant, seq_no, body, bytes, unacked_limit, acked_as, deliveries, due_at)
		SELECT t.name || '-' || n, t.name, n, convert_to(repeat('x', 85), 'UTF8'), 85, 8,
		       CASE WHEN n > 8 THEN nextval('ledger') END, 1, CASE WHEN n <= 8 THEN now() END
		  FROM generate_series(1, 8 + %d / 4) AS n, tenant t`, history))
}

func execute(b *testing.B, session *Session, statement string) {
	b.Helper()
	err := pgx.BeginTxFunc(b.Context(), session, readCommitted(), func(tx pgx.Tx) error {
		_, err := tx.Exec(b.Context(), statement)
		return err
	})
	if err != nil {
		b.Fatalf("%s: %v", statement, err)
	}
}

// realClockDatabase is a database with PostgreSQL's own clock: asking the movable one costs more
// than all else.
func realClockDatabase(b *testing.B, name string) string {
	b.Helper()
	server := postgrestest.Start(b)
	load := func(ctx context.Context, connection *pgx.Conn) error {
		schema, err := os.ReadFile("schema.sql")
		if err != nil {
			return err
		}
		_, err = connection.Exec(ctx, string(schema), pgx.QueryExecModeSimpleProtocol)
		return err
	}
	template, err := server.CreateTemplate(b.Context(), name, postgres.RealClock, load)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Drop(context.Background(), template) })
	database, err := server.Clone(b.Context(), template)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Drop(context.Background(), database) })
	return server.ConnString(database)
}
