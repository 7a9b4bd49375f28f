package selftest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"lostreply/harness/postgres/postgrestest"
)

// exploring is an exploration that goes on, with a folder of its own for temporary files. Every
// process that it starts gets to know that folder by its environment, but for a server's, which
// overwrites it.
type exploring struct {
	*waiting
	temporary string
	out       string
}

// startExploring explores a system that ships: its workers have a database, call a channel, and
// keep a file in the scratch folder.
func startExploring(t *testing.T, arguments ...string) *exploring {
	t.Helper()
	e := &exploring{temporary: t.TempDir(), out: t.TempDir()}
	e.waiting = &waiting{mark: e.temporary}
	e.Cmd = command(context.WithoutCancel(t.Context()), append([]string{
		"explore", "../../scenarios/relay/LOST.yaml", "--at", "run.1 sink#1", "--no-shrink",
		"--out", e.out,
	}, arguments...)...)
	e.Env = append(e.Env, "TMPDIR="+e.temporary)
	e.Stdout, e.Stderr = &e.stdout, &e.stderr
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Process.Kill() })
	return e
}

// underWay waits until some runs are done and others go on.
func (e *exploring) underWay(t *testing.T) {
	t.Helper()
	records := filepath.Join(e.out, "relay", "LOST.records.jsonl")
	until(t, "some runs are recorded", func() bool { return len(outcomesIn(t, records)) > 0 })
	until(t, "a worker runs", func() bool {
		scratch, err := filepath.Glob(filepath.Join(e.temporary, "lostreply-scratch-*"))
		return err == nil && len(scratch) > 0
	})
}

// processes are those that know of its folder, and those whose command line names another one.
func (e *exploring) processes(t *testing.T, folder string) []string {
	t.Helper()
	found := processesWith(t, folder)
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		pid := filepath.Base(filepath.Dir(file))
		if environment, err := os.ReadFile(file); err == nil && pid != strconv.Itoa(os.Getpid()) &&
			bytes.Contains(environment, []byte("TMPDIR="+e.temporary+"\x00")) {
			found = append(found, "process "+pid)
		}
	}
	return found
}

// expectNothing makes sure that no process is left, and so no port, nor a file elsewhere than below
// --out.
func (e *exploring) expectNothing(t *testing.T, runFolder string) {
	t.Helper()
	until(t, "its processes are gone", func() bool { return len(e.processes(t, runFolder)) == 0 })
	until(t, "its folders are gone", func() bool {
		_, err := os.Stat(runFolder)
		left, unread := os.ReadDir(e.temporary)
		return errors.Is(err, os.ErrNotExist) && unread == nil && len(left) == 0
	})
}

// TestExploreLeavesNothing ends explorations in three ways: nothing is left of the one that came to
// its end, of the one that was interrupted, and of the one that was killed.
func TestExploreLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{
		"whole": 0, "interrupted": syscall.SIGINT, "killed": syscall.SIGKILL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := startExploring(t)
			e.underWay(t)
			runFolder := e.runFolder(t)
			until(t, "its server, its keeper and a worker are seen", func() bool {
				return len(e.processes(t, runFolder)) >= 3
			})
			e.end(t, signal)
			e.expectNothing(t, runFolder)
		})
	}
}

// end lets an exploration come to its end, or ends it.
func (e *exploring) end(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if signal != 0 {
		if err := e.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	_ = e.Wait()
	want := map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGKILL: -1}[signal]
	if status := e.ProcessState.ExitCode(); status != want {
		t.Errorf("exit status %d, want %d\n%s%s", status, want, e.stdout.String(), e.stderr.String())
	}
}

// TestExploreLeavesNoDatabase ends explorations in three ways that use somebody's server: no
// database is left there. What one left that was killed, the next run drops.
func TestExploreLeavesNoDatabase(t *testing.T) {
	t.Parallel()
	somebodys := postgrestest.Own(t)
	url := somebodys.ConnString("postgres")
	server := postgrestest.Connect(t, url)
	for _, signal := range []syscall.Signal{0, syscall.SIGINT, syscall.SIGKILL} {
		e := startExploring(t, "--postgres", url)
		e.underWay(t)
		if len(databases(t, server)) == 0 {
			t.Fatal("no database has been made")
		}
		e.end(t, signal)
		if signal == syscall.SIGKILL {
			until(t, "its sessions are gone", func() bool {
				return len(asked(t, server, runsThatLive)) == 0
			})
			call(t, "run", "--postgres", url, killed).expectStatus(t, 0)
		}
		if left := databases(t, server); len(left) > 0 {
			t.Errorf("signal %d: %v are left", signal, left)
		}
		e.expectNothing(t, e.temporary+"/of-nobody")
	}
}
