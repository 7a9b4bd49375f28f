package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
)

// serveVariable makes a copy of this test binary a harness that starts a server on this base, says
// where, and lives until it is killed.
const serveVariable = "LOSTREPLY_TEST_SERVE"

func TestServeUntilKilled(t *testing.T) {
	base := os.Getenv(serveVariable)
	if base == "" {
		return // it is for TestNothingSurvivesTheHarness to start
	}
	server, err := Start(t.Context(), realBinaries(t), StartOptions{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("serving %d %s\n", server.Pid(), server.ConnString("postgres"))
	<-t.Context().Done()
}

// inEachIdentity runs a test once for each way in which this user can run PostgreSQL.
func inEachIdentity(t *testing.T, test func(t *testing.T)) {
	ways := []string{""}
	if os.Geteuid() == 0 {
		ways = []string{"userns", "uid"}
	}
	for _, way := range ways {
		t.Run("as "+way, func(t *testing.T) {
			t.Setenv(RootVariable, way)
			if who, _, err := settleIdentity(t.Context(), realBinaries(t)); err != nil {
				t.Skipf("this machine does not allow it: %v %v", who, err)
			}
			test(t)
		})
	}
}

// shortDir is a directory whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lr")
	if err == nil {
		err = os.Chmod(dir, 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func awaitDeath(t *testing.T, pids ...int) {
	t.Helper()
	ctx, cancel := clock.WithDeadline(t.Context(), 20*time.Second)
	defer cancel()
	if err := collect(ctx, pids); err != nil {
		t.Errorf("of %v some survived: %v", pids, err)
	}
}

func TestNothingSurvivesTheHarness(t *testing.T) {
	inEachIdentity(t, func(t *testing.T) {
		base := shortDir(t)
		harness := exec.Command(os.Args[0], "-test.run=^TestServeUntilKilled$", "-test.v")
		harness.Env = append(os.Environ(), serveVariable+"="+base)
		output, err := harness.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := harness.Start(); err != nil {
			t.Fatal(err)
		}
		var said []string
		postmaster, url := 0, ""
		for lines := bufio.NewScanner(output); postmaster == 0 && lines.Scan(); {
			said = append(said, lines.Text())
			_, _ = fmt.Sscanf(lines.Text(), "serving %d %s", &postmaster, &url)
		}
		if postmaster == 0 {
			t.Fatalf("the server did not start: %s, %v", strings.Join(said, "\n"), harness.Wait())
		}
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		backend := int(conn.PgConn().PID())
		if swept, err := SweepStale(t.Context(), base); err != nil || len(swept) != 0 {
			t.Errorf("swept %v of a living run, error %v", swept, err)
		}
		if err := harness.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = harness.Wait() // it was killed: an error is its wait status
		awaitDeath(t, postmaster, backend)
		swept, err := SweepStale(t.Context(), base)
		if err != nil || len(swept) != 1 {
			t.Errorf("swept %v, error %v", swept, err)
		}
		if left, err := filepath.Glob(filepath.Join(base, runPrefix+"*")); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

func TestSweepEndsAServerThatOutlivedItsHarness(t *testing.T) {
	inEachIdentity(t, func(t *testing.T) {
		base := shortDir(t)
		server, err := Start(t.Context(), realBinaries(t), StartOptions{Base: base})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := pgx.Connect(t.Context(), server.ConnString("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		pids := []int{server.Pid(), int(conn.PgConn().PID())}
		if err := server.dir.lock.Unlock(); err != nil { // as if its harness had died
			t.Fatal(err)
		}
		swept, err := SweepStale(t.Context(), base)
		if err != nil || len(swept) != 1 {
			t.Errorf("swept %v, error %v", swept, err)
		}
		awaitDeath(t, pids...)
		if _, err := os.Stat(server.dir.path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("its directory: %v", err)
		}
	})
}

func TestCrashAndRestartInEachIdentity(t *testing.T) {
	inEachIdentity(t, func(t *testing.T) {
		server, err := Start(t.Context(), realBinaries(t), StartOptions{Base: shortDir(t)})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := server.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		t.Log(server.Describe())
		if err := server.Crash(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		template, err := server.CreateTemplate(t.Context(), "any", MovableClock,
			func(context.Context, *pgx.Conn) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Clone(t.Context(), template); err != nil {
			t.Error(err)
		}
	})
}

func TestAForeignBaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	if err := errors.Join(os.Mkdir(open, 0o777), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{open, link} {
		if err := privateDirectory(path); err == nil {
			t.Errorf("%s was taken for this user's own", path)
		}
	}
	if err := privateDirectory(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
}

func TestAnUnknownWayForRootIsRefused(t *testing.T) {
	_, err := identities("sudo")
	if err == nil || !strings.Contains(err.Error(), "must be userns or uid") {
		t.Errorf("got %v", err)
	}
}

// TestARunThatHasJustEndedIsNothingToSweep: another run's directory may go between the look at the
// list of all and the look at its lock.
func TestARunThatHasJustEndedIsNothingToSweep(t *testing.T) {
	line, err := sweepRun(t.Context(), filepath.Join(t.TempDir(), runPrefix+"gone"))
	if line != "" || err != nil {
		t.Errorf("got %q and %v", line, err)
	}
}
