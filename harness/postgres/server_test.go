package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/postgres"
	"lostreply/harness/postgres/postgrestest"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

func startOwn(t *testing.T) *postgres.Server {
	t.Helper()
	server, err := postgres.Start(t.Context(), postgrestest.Binaries(t), postgres.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(server.SocketDir()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket directory is still there: %v", err)
		}
	})
	return server
}

func TestServerAnswersAndEnds(t *testing.T) {
	server := startOwn(t)
	conn := postgrestest.Connect(t, server.ConnString("postgres"))
	var answer int
	if err := conn.QueryRow(t.Context(), "SELECT 40 + 2").Scan(&answer); err != nil || answer != 42 {
		t.Fatalf("answer %d, error %v", answer, err)
	}
	pid := server.Pid()
	if err := server.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("process %d is still there: %v", pid, err)
	}
}

func TestCrashAndRestartKeepWhatWasCommitted(t *testing.T) {
	server := startOwn(t)
	template, err := server.CreateTemplate(t.Context(), "note", postgres.MovableClock, loadNote)
	if err != nil {
		t.Fatal(err)
	}
	database, err := server.Clone(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	url := server.ConnString(database)
	ends := []func(context.Context) error{server.Crash, server.Stop, server.Crash,
		func(context.Context) error { return nil }} // and a restart of a running server
	for number, end := range ends {
		conn := postgrestest.Connect(t, url)
		_, err := conn.Exec(t.Context(), "INSERT INTO note VALUES ($1)", fmt.Sprint("committed ", number))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "BEGIN; INSERT INTO note VALUES ('open')"); err != nil {
			t.Fatal(err)
		}
		before := server.Pid()
		backend := int(conn.PgConn().PID())
		if err := end(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, pid := range []int{before, backend} {
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("end %d: process %d outlived its server: %v", number, pid, err)
			}
		}
	}
	want := []string{"as loaded", "committed 0", "committed 1", "committed 2", "committed 3"}
	if got := notes(t, postgrestest.Connect(t, url)); !slices.Equal(got, want) {
		t.Errorf("after it all: %v", got)
	}
	if second, err := server.Clone(t.Context(), template); err != nil {
		t.Error(err)
	} else if err := server.Drop(t.Context(), second); err != nil {
		t.Error(err)
	}
}

func TestCrashIsUnconditional(t *testing.T) {
	server := startOwn(t)
	conn := postgrestest.Connect(t, server.ConnString("postgres"))
	backend := int(conn.PgConn().PID())
	if err := syscall.Kill(backend, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := server.Crash(t.Context()); err != nil {
		t.Fatal(err)
	}
	if server.Pid() != 0 {
		t.Errorf("a crashed server has the process id %d", server.Pid())
	}
	if err := syscall.Kill(backend, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the stopped backend is still there: %v", err)
	}
	if _, err := pgx.Connect(t.Context(), server.ConnString("postgres")); err == nil {
		t.Error("a crashed server accepted a connection")
	}
	if err := server.Crash(t.Context()); err != nil {
		t.Errorf("crashing a server that is down: %v", err)
	}
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	server := startOwn(t)
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(filepath.Dir(server.SocketDir()), "data")
	settings := filepath.Join(data, "postgresql.conf")
	if err := os.WriteFile(settings, []byte("fsync = maybe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := server.Restart(t.Context())
	if err == nil || !strings.Contains(err.Error(), `parameter "fsync" requires a Boolean value`) {
		t.Errorf("got %v", err)
	}
}

func TestAStalePidFileOfSomebodyElsesProcessIsNoObstacle(t *testing.T) {
	server := startOwn(t)
	if err := server.Crash(t.Context()); err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(filepath.Dir(server.SocketDir()), "data", "postmaster.pid")
	if err := os.WriteFile(pidFile, fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Error(err)
	}
}
