package postgres_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/postgres"
	"lostreply/harness/postgres/postgrestest"
)

// loadNote is a schema with one row.
func loadNote(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "CREATE TABLE note (text text); INSERT INTO note VALUES ('as loaded')")
	return err
}

func databasesOf(t *testing.T, cluster postgres.Cluster, home string) []string {
	t.Helper()
	conn := postgrestest.Connect(t, cluster.ConnString(home))
	rows, err := conn.Query(t.Context(), "SELECT datname FROM pg_database ORDER BY datname")
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func notes(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT text FROM note ORDER BY text")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// templateOn is a template that the shared server has for as long as the test runs.
func templateOn(t *testing.T, server *postgres.Server, kind postgres.Clock) string {
	t.Helper()
	template, err := server.CreateTemplate(t.Context(), "note", kind, loadNote)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Drop(context.Background(), template); err != nil {
			t.Error(err)
		}
	})
	return template
}

func TestClonesAreFreshAndApart(t *testing.T) {
	server := postgrestest.Start(t)
	template := templateOn(t, server, postgres.MovableClock)
	clones := postgres.NewClones(server, template, postgres.ClonesAhead)
	seen := map[string]bool{}
	for range 5 {
		database, err := clones.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if seen[database] {
			t.Fatalf("%s was handed out twice", database)
		}
		seen[database] = true
		conn := postgrestest.Connect(t, server.ConnString(database))
		if got := notes(t, conn); !slices.Equal(got, []string{"as loaded"}) {
			t.Errorf("%s holds %v", database, got)
		}
		if _, err := conn.Exec(t.Context(), "INSERT INTO note VALUES ('mine')"); err != nil {
			t.Error(err)
		}
		clones.Drop(database) // with the connection still open
	}
	if err := clones.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range databasesOf(t, server, "postgres") {
		if strings.HasPrefix(name, template+"_") {
			t.Errorf("%s is left", name)
		}
	}
	if _, err := clones.Take(t.Context()); err == nil {
		t.Error("a closed pool handed out a database")
	}
}

func TestTakeReportsAFailedClone(t *testing.T) {
	clones := postgres.NewClones(postgrestest.Start(t), "no_such_template", 1)
	_, err := clones.Take(t.Context())
	if err == nil || !strings.Contains(err.Error(), `clone template no_such_template`) {
		t.Errorf("got %v", err)
	}
	if err := clones.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFailedLoadLeavesNoDatabase(t *testing.T) {
	server := postgrestest.Start(t)
	_, err := server.CreateTemplate(t.Context(), "broken", postgres.MovableClock,
		func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "CREATE TABLE")
			return err
		})
	if err == nil || !strings.Contains(err.Error(), "create template broken") ||
		!strings.Contains(err.Error(), "syntax error") {
		t.Errorf("got %v", err)
	}
	if slices.Contains(databasesOf(t, server, "postgres"), "broken") {
		t.Error("the database is left")
	}
}

func TestRealClockHasNoMovableOne(t *testing.T) {
	server := postgrestest.Start(t)
	template := templateOn(t, server, postgres.RealClock)
	database, err := server.Clone(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	conn := postgrestest.Connect(t, server.ConnString(database))
	if err := clock.Advance(t.Context(), conn, time.Second); err == nil {
		t.Error("a clock was advanced where there is none")
	}
	if err := server.Drop(t.Context(), database); err != nil {
		t.Error(err)
	}
}

func TestExternalLeavesNothing(t *testing.T) {
	server := postgrestest.Start(t)
	before := databasesOf(t, server, "postgres")
	external, err := postgres.External(t.Context(), server.ConnString("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if capable := external.Capabilities(); capable.Crash || capable.NoClock != nil {
		t.Errorf("capabilities %+v", capable)
	}
	template, err := external.CreateTemplate(t.Context(), "note", postgres.MovableClock, loadNote)
	if err != nil {
		t.Fatal(err)
	}
	database, err := external.Clone(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(database, "lostreply_") {
		t.Errorf("the database is called %s", database)
	}
	conn := postgrestest.Connect(t, external.ConnString(database))
	if err := clock.Advance(t.Context(), conn, time.Hour); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := external.Close(ended); err != nil { // as after an interrupt
		t.Fatal(err)
	}
	if after := databasesOf(t, server, "postgres"); !slices.Equal(before, after) {
		t.Errorf("databases before %v, after %v", before, after)
	}
}

func TestExternalSaysWhatARoleMayNot(t *testing.T) {
	server := postgrestest.Start(t)
	admin := postgrestest.Connect(t, server.ConnString("postgres"))
	_, err := admin.Exec(t.Context(), `DROP ROLE IF EXISTS maker; DROP ROLE IF EXISTS nobody_much;
		CREATE ROLE maker LOGIN CREATEDB; CREATE ROLE nobody_much LOGIN`)
	if err != nil {
		t.Fatal(err)
	}
	as := func(role string) string {
		return strings.Replace(server.ConnString("postgres"), "postgres://postgres@",
			"postgres://"+role+"@", 1)
	}
	if _, err := postgres.External(t.Context(), as("nobody_much")); err == nil ||
		!strings.Contains(err.Error(), "ALTER ROLE … CREATEDB") {
		t.Errorf("got %v", err)
	}
	external, err := postgres.External(t.Context(), as("maker"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := external.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if err := external.Capabilities().NoClock; !errors.Is(err, clock.ErrRefused) {
		t.Errorf("NoClock is %v", err)
	}
	_, err = external.CreateTemplate(t.Context(), "note", postgres.MovableClock, loadNote)
	if !errors.Is(err, clock.ErrRefused) || !strings.Contains(err.Error(), "not a superuser") {
		t.Errorf("got %v", err)
	}
	template, err := external.CreateTemplate(t.Context(), "note", postgres.RealClock, loadNote)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := external.Clone(t.Context(), template); err != nil {
		t.Error(err)
	}
}

func TestExternalConnString(t *testing.T) {
	server := postgrestest.Start(t)
	keywords := "host=" + server.SocketDir() + " user=postgres dbname=postgres sslmode=disable"
	for _, given := range []string{server.ConnString("postgres"), keywords} {
		external, err := postgres.External(t.Context(), given)
		if err != nil {
			t.Fatal(err)
		}
		config, err := pgx.ParseConfig(external.ConnString("other"))
		if err != nil || config.Database != "other" || config.Host != server.SocketDir() {
			t.Errorf("%s became %s (error %v)", given, external.ConnString("other"), err)
		}
		conn, err := external.Dial(t.Context())
		if err != nil {
			t.Error(err)
		} else if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := external.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestClosingAPoolAtOnceLeavesNoDatabase(t *testing.T) {
	server := postgrestest.Start(t)
	template := templateOn(t, server, postgres.MovableClock)
	for range 10 {
		if err := postgres.NewClones(server, template, 1).Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range databasesOf(t, server, "postgres") {
		if strings.HasPrefix(name, template+"_") {
			t.Errorf("%s is left", name)
		}
	}
}

// Without sslmode, libpq and pgx ask for TLS first and do without where there is none: a worker's
// connection must do the same, or only the harness's own would reach the server.
func TestExternalDoesWithoutTLSWhereTheURLAllowsIt(t *testing.T) {
	server := postgrestest.Start(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			backend, err := server.Dial(context.WithoutCancel(t.Context()))
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(backend, client); _ = backend.Close() }()
			go func() { _, _ = io.Copy(client, backend); _ = client.Close() }()
		}
	}()
	external, err := postgres.External(t.Context(),
		"postgres://postgres@"+listener.Addr().String()+"/postgres")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := external.Dial(t.Context())
	if err != nil {
		t.Error(err)
	} else if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := external.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
