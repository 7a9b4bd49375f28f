package postgres_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

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
