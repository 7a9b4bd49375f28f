// Package postgrestest gives tests a PostgreSQL in one line. It is for tests only.
package postgrestest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/postgres"
)

// shared is the one server of a test binary, which every test of it uses: a server takes a third of
// a second, a database a fraction of that. It is state of the whole process because test functions
// have nothing else in common.
var shared struct {
	mutex     sync.Mutex
	server    *postgres.Server
	users     int
	templates map[string]string // by schema file
}

// Main runs a test binary's tests with one server for all of them, started by the first that needs
// it: `func TestMain(m *testing.M) { postgrestest.Main(m) }`. Without it the server ends with the
// last test that uses it, and a later test starts another.
func Main(m *testing.M) {
	shared.mutex.Lock()
	shared.users++
	shared.mutex.Unlock()
	code := m.Run()
	if err := release(); err != nil {
		fmt.Fprintln(os.Stderr, "postgrestest:", err)
		code = 1
	}
	os.Exit(code)
}

// Binaries provisions PostgreSQL as a run would.
func Binaries(t testing.TB) postgres.Binaries {
	t.Helper()
	binaries, err := postgres.Provision(t.Context(), postgres.Options{
		Directory: os.Getenv(postgres.DirectoryVariable),
		Log:       func(line string) { t.Log(line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return binaries
}

// Own is a server that only this test has, for those that restart it. It ends with the test.
func Own(t testing.TB) *postgres.Server {
	t.Helper()
	server, err := postgres.Start(t.Context(), Binaries(t), postgres.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return server
}

// Start is the test binary's server, started when it has none. Tests that stop or crash a server
// start their own.
func Start(t testing.TB) *postgres.Server {
	t.Helper()
	shared.mutex.Lock()
	defer shared.mutex.Unlock()
	if shared.server == nil {
		base, err := postgres.RunBase()
		if err == nil {
			_, err = postgres.SweepStale(t.Context(), base)
		}
		if err != nil {
			t.Fatal(err)
		}
		server, err := postgres.Start(t.Context(), Binaries(t), postgres.StartOptions{})
		if err != nil {
			t.Fatal(err)
		}
		shared.server, shared.templates = server, map[string]string{}
	}
	shared.users++
	t.Cleanup(func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	return shared.server
}

func release() error {
	shared.mutex.Lock()
	defer shared.mutex.Unlock()
	if shared.users--; shared.users > 0 || shared.server == nil {
		return nil
	}
	server := shared.server
	shared.server = nil
	return server.Close(context.Background())
}

// Database is the URL of a new database with the movable clock, running on, and the schema of a
// file in it ("": an empty one). It is dropped when the test ends.
func Database(t testing.TB, schemaFile string) string {
	t.Helper()
	server := Start(t)
	database, err := server.Clone(t.Context(), template(t, server, schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Drop(context.Background(), database); err != nil {
			t.Error(err)
		}
	})
	return server.ConnString(database)
}

func template(t testing.TB, server *postgres.Server, schemaFile string) string {
	t.Helper()
	shared.mutex.Lock()
	defer shared.mutex.Unlock()
	if name, made := shared.templates[schemaFile]; made {
		return name
	}
	name, err := server.CreateTemplate(t.Context(), fmt.Sprintf("schema_%d", len(shared.templates)),
		postgres.MovableClock, func(ctx context.Context, conn *pgx.Conn) error {
			if schemaFile == "" {
				return nil
			}
			schema, err := os.ReadFile(schemaFile)
			if err != nil {
				return err
			}
			_, err = conn.Exec(ctx, string(schema), pgx.QueryExecModeSimpleProtocol)
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	shared.templates[schemaFile] = name
	return name
}

// Connect opens a connection that is closed when the test ends.
func Connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
