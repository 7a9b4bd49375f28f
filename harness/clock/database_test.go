package clock_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

func schemaFile(t *testing.T, schema string) string {
	t.Helper()
	path := t.TempDir() + "/schema.sql"
	if err := os.WriteFile(path, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func instant(t *testing.T, conn *pgx.Conn, expression string) time.Time {
	t.Helper()
	var at time.Time
	if err := conn.QueryRow(t.Context(), "SELECT "+expression).Scan(&at); err != nil {
		t.Fatal(err)
	}
	return at
}

var functions = []string{"now()", "transaction_timestamp()", "statement_timestamp()",
	"clock_timestamp()", "pg_catalog.now()"}

func TestFrozenClockStandsStillButForAdvance(t *testing.T) {
	conn := postgrestest.Connect(t, postgrestest.Database(t, ""))
	if err := clock.Reset(t.Context(), conn, clock.Frozen); err != nil {
		t.Fatal(err)
	}
	base := instant(t, conn, "now()")
	if off := time.Since(base).Abs(); off > time.Minute {
		t.Fatalf("the frozen instant is %s off the present", off)
	}
	for _, by := range []time.Duration{0, 3001 * time.Millisecond, time.Hour} {
		if err := clock.Advance(t.Context(), conn, by); err != nil {
			t.Fatal(err)
		}
		base = base.Add(by)
		for _, function := range functions {
			if got := instant(t, conn, function); !got.Equal(base) {
				t.Errorf("%s is %s, not %s", function, got, base)
			}
		}
	}
	if err := clock.Reset(t.Context(), conn, clock.Moving); err != nil {
		t.Fatal(err)
	}
	if off := time.Since(instant(t, conn, "now()")).Abs(); off > time.Minute {
		t.Errorf("after a reset the clock is %s off", off)
	}
}

func TestMovingClockRunsOnAndAdds(t *testing.T) {
	conn := postgrestest.Connect(t, postgrestest.Database(t, ""))
	for _, function := range functions {
		before := instant(t, conn, function)
		if err := clock.Advance(t.Context(), conn, time.Hour); err != nil {
			t.Fatal(err)
		}
		after := instant(t, conn, function)
		if passed := after.Sub(before); passed <= time.Hour || passed > time.Hour+time.Minute {
			t.Errorf("%s moved by %s, not by an hour and a little", function, passed)
		}
	}
}

func TestAdvanceKeepsAnOpenTransactionsNow(t *testing.T) {
	url := postgrestest.Database(t, "")
	conn, mover := postgrestest.Connect(t, url), postgrestest.Connect(t, url)
	if err := clock.Reset(t.Context(), conn, clock.Frozen); err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begun := instant(t, conn, "now()")
	for range 3 {
		if err := clock.Advance(t.Context(), mover, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if got := instant(t, conn, "now()"); !got.Equal(begun) {
		t.Errorf("now() moved by %s within a transaction", got.Sub(begun))
	}
	if got := instant(t, conn, "clock_timestamp()"); got.Sub(begun) != 3*time.Minute {
		t.Errorf("clock_timestamp() moved by %s, not three minutes", got.Sub(begun))
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := instant(t, conn, "now()"); got.Sub(begun) != 3*time.Minute {
		t.Errorf("the next transaction's now() is %s on, not three minutes", got.Sub(begun))
	}
}

func TestDatabasesOfOneServerAdvanceApart(t *testing.T) {
	a := postgrestest.Connect(t, postgrestest.Database(t, ""))
	b := postgrestest.Connect(t, postgrestest.Database(t, ""))
	if err := clock.Advance(t.Context(), a, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	if off := time.Since(instant(t, b, "now()")).Abs(); off > time.Minute {
		t.Errorf("the other database's clock is %s off", off)
	}
	if off := time.Until(instant(t, a, "now()")); off < 23*time.Hour {
		t.Errorf("the advanced clock is only %s ahead", off)
	}
}

func TestSchemaDefaultsAndAnySearchPathFollow(t *testing.T) {
	url := postgrestest.Database(t, schemaFile(t,
		`CREATE TABLE task (id int, due timestamptz DEFAULT now());`))
	conn := postgrestest.Connect(t, url)
	if err := clock.Reset(t.Context(), conn, clock.Frozen); err != nil {
		t.Fatal(err)
	}
	if err := clock.Advance(t.Context(), conn, 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"public", "pg_catalog, public", "''", "public, pg_catalog"} {
		if _, err := conn.Exec(t.Context(), "SET search_path = "+path); err != nil {
			t.Fatal(err)
		}
		var follows bool
		err := conn.QueryRow(t.Context(), `WITH made AS (INSERT INTO public.task VALUES (1)
			RETURNING due) SELECT due = now() AND due > lostreply_real_now() + interval '23 hours'
			FROM made`).Scan(&follows)
		if err != nil || !follows {
			t.Errorf("search_path %s: follows=%v, error %v", path, follows, err)
		}
	}
}

func TestAnIndexIsStillUsed(t *testing.T) {
	conn := postgrestest.Connect(t, postgrestest.Database(t, schemaFile(t, `
		CREATE TABLE task (id int, due timestamptz);
		INSERT INTO task SELECT n, now() + n * interval '1 minute' FROM generate_series(-10, 10000) n;
		CREATE INDEX task_due ON task (due); ANALYZE task;`)))
	rows, err := conn.Query(t.Context(), "EXPLAIN SELECT id FROM task WHERE due <= now()")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(lines, "\n")
	if !strings.Contains(plan, "task_due") || !strings.Contains(plan, "Index Cond: (due <= now())") {
		t.Errorf("the plan does not use the index:\n%s", plan)
	}
}

func TestAnOrdinaryRoleReadsTheClockAndMayNotMoveIt(t *testing.T) {
	url := postgrestest.Database(t, "")
	conn := postgrestest.Connect(t, url)
	role := "reader_" + conn.Config().Database
	if _, err := conn.Exec(t.Context(), "CREATE ROLE "+role); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SET ROLE "+role); err != nil {
		t.Fatal(err)
	}
	instant(t, conn, "now()")
	if err := clock.Advance(t.Context(), conn, time.Second); err == nil {
		t.Error("an ordinary role moved the clock")
	}
}

func TestInstallSaysWhyItIsRefused(t *testing.T) {
	server := postgrestest.Start(t)
	admin := postgrestest.Connect(t, server.ConnString("postgres"))
	for _, statement := range []string{"DROP ROLE IF EXISTS plain", "CREATE ROLE plain LOGIN"} {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	config, err := pgx.ParseConfig(server.ConnString("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	config.User = "plain"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	err = clock.Install(t.Context(), conn)
	if err == nil || !strings.Contains(err.Error(), "the role plain is not a superuser") {
		t.Errorf("got %v", err)
	}
}
