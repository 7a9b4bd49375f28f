package wire_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
)

// patience bounds every wait of these tests; it only ever decides that one failed.
const patience = 30 * time.Second

// socket is the unix socket of the PostgreSQL that these tests share.
var socket string

func TestMain(m *testing.M) { os.Exit(withServer(m)) }

func withServer(m *testing.M) int {
	stop, err := startServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	return m.Run()
}

func startServer() (stop func(), err error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) == 0 {
		return nil, fmt.Errorf("these tests need an installed PostgreSQL")
	}
	binaries := filepath.Dir(found[len(found)-1])
	home, err := os.MkdirTemp("/tmp", "wire-postgres-*")
	if err != nil {
		return nil, err
	}
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() == 0 {
		attributes.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		if err := os.Chown(home, 65534, 65534); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(home, "data")
	initdb := exec.Command(binaries+"/initdb", "-D", data, "-A", "trust", "-U", "postgres", "-N",
		"-E", "UTF8", "--locale=C")
	initdb.SysProcAttr = attributes
	if output, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, output)
	}
	postgres := exec.Command(binaries+"/postgres", "-D", data, "-k", home, "-c", "listen_addresses=",
		"-c", "fsync=off", "-c", "wal_level=logical", "-c", "max_prepared_transactions=5")
	postgres.SysProcAttr = attributes
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		return nil, err
	}
	postgres.Stdout, postgres.Stderr = log, log
	if err := postgres.Start(); err != nil {
		return nil, err
	}
	socket = filepath.Join(home, ".s.PGSQL.5432")
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	err = clock.Until(ctx, func(ctx context.Context) (bool, error) {
		connection, err := pgx.Connect(ctx, "host="+home+" user=postgres")
		if err != nil {
			return false, nil
		}
		return true, connection.Close(ctx)
	})
	return func() {
		_ = postgres.Process.Signal(syscall.SIGQUIT)
		_ = postgres.Wait()
		_ = os.RemoveAll(home)
	}, err
}

// dial connects to the server.
func dial(ctx context.Context) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", socket)
}

// directly is a connection of the test itself, past the proxy.
func directly(t *testing.T) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), "host="+filepath.Dir(socket)+" user=postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(context.Background()) })
	return connection
}
