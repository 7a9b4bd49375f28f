package process_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
	"lostreply/harness/process"
)

// harnessRole makes the test binary play a harness that is going to be killed.
const harnessRole = "LOSTREPLY_TEST_HARNESS"

// spawnerRole makes the test binary play a worker that starts programs without end.
const spawnerRole = "LOSTREPLY_TEST_SPAWNER"

func TestMain(m *testing.M) {
	process.KeeperMain()
	if os.Getenv(harnessRole) != "" {
		playHarness()
		return
	}
	if os.Getenv(spawnerRole) != "" {
		playSpawner()
	}
	if err := process.BecomeSubreaper(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func playSpawner() {
	fmt.Println("spawning")
	for range 3 {
		go func() {
			for {
				_ = exec.Command("/bin/true").Run()
			}
		}()
	}
	select {}
}

var lives atomic.Int64

// limit only bounds failure.
func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// short is for waits that are expected to expire.
func short(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), 60*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func specOf(path string, args ...string) process.Spec {
	run := fmt.Sprintf("test-%d-%d", os.Getpid(), lives.Add(1))
	return process.Spec{
		Name: "worker a", Path: path, Args: args, Env: process.Environment(nil, nil),
		Marker: process.Marker(run, "a", 1),
	}
}

func start(t *testing.T, spec process.Spec) *process.Group {
	t.Helper()
	g, err := process.Start(limit(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Terminate(limit(t)); err != nil {
			t.Error(err)
		}
	})
	return g
}

func shell(t *testing.T, script string) *process.Group {
	t.Helper()
	return start(t, specOf("sh", "-c", script))
}

func waitEnded(t *testing.T, g *process.Group) process.Ending {
	t.Helper()
	select {
	case <-g.Ended():
	case <-limit(t).Done():
		t.Fatalf("it has not ended; left: %q; lines: %v", g.Leftovers(), g.LastLines(5))
	}
	return g.Ending()
}

func waitLine(t *testing.T, g *process.Group, prefix string) string {
	t.Helper()
	line, err := g.WaitLine(limit(t), begins(prefix))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line.Text, prefix))
}

func begins(prefix string) func(process.Line) bool {
	return func(line process.Line) bool { return strings.HasPrefix(line.Text, prefix) }
}

// pidOf reads a pid that a program printed behind prefix.
func pidOf(t *testing.T, g *process.Group, prefix string) int {
	t.Helper()
	var pid int
	if _, err := fmt.Sscan(waitLine(t, g, prefix), &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// exists looks from outside: a zombie exists.
func exists(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// stateOf is the state letter of /proc/<pid>/stat; empty when the process is gone.
func stateOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return fields[0]
}

func mustBeGone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if exists(pid) {
			t.Errorf("process %d is still there, state %s", pid, stateOf(pid))
		}
	}
}

func TestEndingByExitAndBySignal(t *testing.T) {
	for _, example := range []struct{ script, ending string }{
		{"exit 0", "exit 0"},
		{"exit 3", "exit 3"},
		{"kill -TERM $$", "signal TERM"},
		{"kill -KILL $$", "signal KILL"},
		{"kill -ABRT $$", "signal ABRT"},
		{"kill -40 $$", "signal 40"},
	} {
		g := shell(t, example.script)
		ending := waitEnded(t, g)
		if got := ending.String(); got != example.ending {
			t.Errorf("%s: ended with %s, want %s", example.script, got, example.ending)
		}
		if len(ending.Leftovers) > 0 {
			t.Errorf("%s: leftovers %q", example.script, ending.Leftovers)
		}
		mustBeGone(t, g.ID())
	}
}

func TestWorkerHasItsOwnGroupAndAnEmptyInput(t *testing.T) {
	spec := specOf("sh", "-c", `read word; echo "read $?"; echo "marker $LOSTREPLY_WORKER"; pwd`)
	spec.Dir = t.TempDir()
	spec.Env = append(spec.Env, process.MarkerName+"=someone/else/1")
	g := start(t, spec)
	if group, err := unix.Getpgid(g.ID()); err == nil && group != g.ID() {
		t.Errorf("group %d, leader %d", group, g.ID())
	}
	waitEnded(t, g)
	want := []process.Line{
		{Stream: process.Stdout, Text: "read 1"},
		{Stream: process.Stdout, Text: "marker " + spec.Marker},
		{Stream: process.Stdout, Text: spec.Dir},
	}
	if got := g.Lines(); !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestStartErrorsSayWhatToDo(t *testing.T) {
	directory := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "#!/bin/sh\n", 0o644)
	orphan := write("orphan", "#!/nowhere/interpreter\n", 0o755)
	garbage := write("garbage", "\x01\x02\x03", 0o755)
	for _, example := range []struct {
		path, dir, want string
		is              error
	}{
		{"no-such-program", "", `program "no-such-program" not found in PATH (`, fs.ErrNotExist},
		{directory + "/missing", "", "missing not found: build it", fs.ErrNotExist},
		{plain, "", "plain is not executable: chmod +x it", fs.ErrPermission},
		{orphan, "", "the interpreter that " + orphan + " names", fs.ErrNotExist},
		{garbage, "", "garbage is no program of this machine", unix.ENOEXEC},
		{directory, "", "is a directory: name the program in it", fs.ErrPermission},
		{"/bin/sh", "/no/such/directory", "its directory /no/such/directory does not exist", nil},
		{"", "", "its command is empty", nil},
	} {
		spec := specOf(example.path)
		spec.Dir = example.dir
		_, err := process.Start(limit(t), spec)
		if err == nil || !strings.Contains(err.Error(), example.want) ||
			!strings.HasPrefix(err.Error(), "start worker a: ") {
			t.Errorf("%q: error %v, want %q", example.path, err, example.want)
		}
		if example.is != nil && !errors.Is(err, example.is) {
			t.Errorf("%q: %v is not %v", example.path, err, example.is)
		}
	}
	spec := specOf("plain")
	spec.Env = []string{"PATH=" + directory}
	if _, err := process.Start(limit(t), spec); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("not executable in PATH: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := process.Start(ended, specOf("sh")); !errors.Is(err, context.Canceled) {
		t.Errorf("start after the end: %v", err)
	}
}

func TestEnvironmentIsClean(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://real")
	t.Setenv("PGHOST", "real")
	t.Setenv("SECRET", "1")
	t.Setenv("LANG", "C")
	t.Setenv("PATH", "/bin")
	env := process.Environment([]string{"PATH", "LANG", "PGHOST", "DATABASE_URL", "UNSET"},
		map[string]string{"PGPORT": "5", "LANG": "C.UTF-8"})
	if want := []string{"LANG=C.UTF-8", "PATH=/bin", "PGPORT=5"}; !slices.Equal(env, want) {
		t.Errorf("environment %q, want %q", env, want)
	}
	for _, entry := range process.Environment(nil, nil) {
		name, _, _ := strings.Cut(entry, "=")
		if !slices.Contains(process.DefaultPass(), name) {
			t.Errorf("%s was passed by default", entry)
		}
	}
}

// reapStrangers reaps the orphans of a killed harness, whose parent this process has become.
func reapStrangers(pids []int) {
	for _, pid := range pids {
		_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
	}
}
