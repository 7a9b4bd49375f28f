package dispatcher

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

// The claim must cost the same whatever lies beside the due task: history, parked tasks, the
// future. Each size is measured on tables that were never analyzed, as they are without
// autovacuum, and then on analyzed ones; the seed's literal query is measured beside it.
func BenchmarkClaim(b *testing.B) {
	for _, beside := range []string{"settled", "parked", "notdue"} {
		for _, size := range []int{1_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s=%d", beside, size), func(b *testing.B) {
				benchmarkBeside(b, beside, size)
			})
		}
	}
}

func benchmarkBeside(b *testing.B, beside string, size int) {
	ctx := b.Context()
	session := NewSession(realClockDatabase(b, fmt.Sprintf("%s_%d", beside, size)))
	b.Cleanup(func() { _ = session.Close(context.WithoutCancel(ctx)) })
	fill(b, session, beside, size)
	worker, err := New(session, []Contract{Push("http://channel.invalid")},
		Settings{Name: "bench", Lease: time.Minute, Timeout: time.Second})
	if err != nil {
		b.Fatal(err)
	}
	claimOne := func(tx pgx.Tx) error {
		taken, err := worker.claimIn(ctx, tx)
		if err == nil && taken == nil {
			err = errors.New("nothing was due")
		}
		return err
	}
	b.Run("fresh", func(b *testing.B) { measure(b, session, claimOne) })
	execute(b, session, "ANALYZE")
	b.Run("analyzed", func(b *testing.B) { measure(b, session, claimOne) })
	b.Run("seed", func(b *testing.B) { measure(b, session, seedQuery(ctx)) })
}

// realClockDatabase is a database with PostgreSQL's own clock: asking the movable one costs more
// than all else in a claim.
func realClockDatabase(b *testing.B, name string) string {
	b.Helper()
	server := postgrestest.Start(b)
	template, err := server.CreateTemplate(b.Context(), name, postgres.RealClock, loadSchema)
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

func loadSchema(ctx context.Context, connection *pgx.Conn) error {
	schema, err := os.ReadFile("schema.sql")
	if err != nil {
		return err
	}
	_, err = connection.Exec(ctx, string(schema), pgx.QueryExecModeSimpleProtocol)
	return err
}

// errPutBack makes the transaction roll back, so that the same task is due again.
var errPutBack = errors.New("put back")

// measure reports the median and the fastest claim too: a neighbour's work on the same machine
// makes a mean of no use.
func measure(b *testing.B, session *Session, claimOne func(pgx.Tx) error) {
	var took []time.Duration
	for b.Loop() {
		start := clock.Now()
		err := pgx.BeginTxFunc(b.Context(), session, readCommitted(), func(tx pgx.Tx) error {
			return errors.Join(claimOne(tx), errPutBack)
		})
		if err.Error() != errPutBack.Error() {
			b.Fatal(err)
		}
		took = append(took, clock.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/claim")
	b.ReportMetric(float64(took[0].Microseconds()), "µs/fastest")
}

// seedQuery is the select that the design began with, without the writes that follow it.
func seedQuery(ctx context.Context) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		var id int64
		return tx.QueryRow(ctx, `
			SELECT t.id
			  FROM delivery_task t
			  JOIN notification n ON n.id = t.notification_id
			  LEFT JOIN channel_pref p ON p.user_id = n.user_id AND p.channel = t.channel
			 WHERE (t.state IN ('PENDING', 'UNKNOWN') AND t.next_attempt_at <= now())
			    OR (t.state = 'SENDING' AND t.lease_until < now())
			 ORDER BY t.id
			 LIMIT 1
			   FOR UPDATE OF t SKIP LOCKED`).Scan(&id)
	}
}

// fill writes size tasks of one kind, and then one that is due.
func fill(b *testing.B, session *Session, beside string, size int) {
	execute(b, session, `
		INSERT INTO channel_pref (user_id, channel, address)
		SELECT 'u' || n, 'push', 'address' FROM generate_series(0, 999) AS n`)
	execute(b, session, fmt.Sprintf(`
		INSERT INTO notification (user_id, event_key, body, ttl_millis, max_attempts, expires_at)
		SELECT 'u' || n %% 1000, 'e' || n, 'body', 86400000, 5, now() + interval '1 day'
		  FROM generate_series(0, %d) AS n`, size))
	columns := map[string]string{
		"settled": "'SENT', NULL::timestamptz, false",
		"parked":  "'UNKNOWN', NULL::timestamptz, true",
		"notdue":  "'PENDING', now() + interval '1 hour', false",
	}[beside]
	execute(b, session, fmt.Sprintf(`
		INSERT INTO delivery_task
		       (notification_id, channel, max_attempts, state, next_attempt_at, needs_review)
		SELECT id, 'push', 5, %s FROM notification WHERE event_key <> 'e%d'`, columns, size))
	execute(b, session, fmt.Sprintf(`
		INSERT INTO delivery_task (notification_id, channel, max_attempts)
		SELECT id, 'push', 5 FROM notification WHERE event_key = 'e%d'`, size))
}

func execute(b *testing.B, session *Session, statement string) {
	b.Helper()
	if session.connection == nil {
		connection, err := connect(b.Context(), session.url)
		if err != nil {
			b.Fatal(err)
		}
		session.connection = connection
	}
	if _, err := session.connection.Exec(b.Context(), statement); err != nil {
		b.Fatalf("%s: %v", statement, err)
	}
}
