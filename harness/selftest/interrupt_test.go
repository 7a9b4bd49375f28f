package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"lostreply/harness/clock"
)

// waiting is a call of the command whose last scenario waits, for a worker that never ends.
type waiting struct {
	*exec.Cmd
	mark   string // an argument of its worker, unique to the test
	folder string // where its server keeps its data
	stdout watched
	stderr watched
}

// watched is an output that can be looked at while it is written.
type watched struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

// Write keeps what is written.
func (w *watched) Write(bytes []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.Write(bytes)
}

// String is what was written so far.
func (w *watched) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.String()
}

// startWaiting writes a system whose second scenario waits for ever, with a database, and starts
// the command on it, with these arguments besides. It returns when the first is reported and the
// second waits.
func startWaiting(t *testing.T, arguments ...string) *waiting {
	t.Helper()
	folder := t.TempDir()
	mark := strings.ReplaceAll(strings.TrimPrefix(folder, os.TempDir()), "/", "-")
	write(t, filepath.Join(folder, "schema.sql"), "create table letter (id int);")
	write(t, filepath.Join(folder, "system.yaml"), fmt.Sprintf(`system: waiting
databases: {main: {schema: schema.sql}}
programs:
  stay: {command: [sh, -c, "echo up; tail -f /dev/null", %q], databases: []}
facts:
  letters: {sql: "select id from letter"}
`, mark))
	write(t, filepath.Join(folder, "a.yaml"), `scenario: a
title: it is done
system: waiting
steps:
  - sql: {run: "insert into letter values (1)"}
  - check: {fact: letters, column: [1]}
`)
	write(t, filepath.Join(folder, "b.yaml"), `scenario: b
title: it waits for ever
system: waiting
deadline: 10m
steps:
  - start: {program: stay}
  - wait: {worker: stay, line: up}
  - wait: {worker: stay}
  - check: {fact: letters, count: 1}
`)
	w := &waiting{mark: mark, folder: folder}
	w.Cmd = command(context.WithoutCancel(t.Context()),
		append([]string{"run", "--parallel", "1", folder}, arguments...)...)
	w.Cmd.Stdout, w.Cmd.Stderr = &w.stdout, &w.stderr
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Process.Kill() })
	until(t, "the second scenario waits", func() bool {
		return strings.Contains(w.stdout.String(), "CASE a") && len(processesWith(t, mark)) > 0
	})
	return w
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// until waits for a condition that announces itself to nobody.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := clock.WithDeadline(t.Context(), patience)
	defer cancel()
	err := clock.Until(ctx, func(context.Context) (bool, error) { return condition(), nil })
	if err != nil {
		t.Fatalf("wait until %s: %v", what, err)
	}
}

// processesWith lists the processes whose command line holds a text.
func processesWith(t *testing.T, text string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte(text)) {
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// runFolder is where the server of a command keeps its data: it says so in its command line.
func (w *waiting) runFolder(t *testing.T) string {
	t.Helper()
	for _, pid := range descendants(t, w.Process.Pid) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		words := strings.Split(string(line), "\x00")
		for i, word := range words {
			if word == "-D" && i+1 < len(words) {
				return filepath.Dir(words[i+1])
			}
		}
	}
	t.Fatalf("no postgres below process %d", w.Process.Pid)
	return ""
}

// descendants lists the processes below one, by their parents.
func descendants(t *testing.T, root int) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], pid)
		}
	}
	found := []int{}
	for next := []int{root}; len(next) > 0; next = next[1:] {
		found = append(found, children[next[0]]...)
		next = append(next, children[next[0]]...)
	}
	return found
}

// expectGone makes sure that nothing of a run is left: no process, no directory.
func (w *waiting) expectGone(t *testing.T, runFolder string) {
	t.Helper()
	until(t, "its worker is gone", func() bool { return len(processesWith(t, w.mark)) == 0 })
	until(t, "its server is gone", func() bool { return len(processesWith(t, runFolder)) == 0 })
	until(t, "its directory is gone", func() bool {
		_, err := os.Stat(runFolder)
		return errors.Is(err, os.ErrNotExist)
	})
}

// TestInterrupt presses Ctrl-C while a scenario waits: what ran so far is told, the summary comes
// last, and nothing stays behind.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	w := startWaiting(t)
	runFolder := w.runFolder(t)
	if err := w.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = w.Wait()
	o := outcome{
		arguments: w.Args[1:], stdout: w.stdout.String(), stderr: w.stderr.String(),
		status: w.ProcessState.ExitCode(),
	}
	o.expectStatus(t, 130)
	golden(t, "interrupt", normal(o.String(), map[string]string{w.folder: "FOLDER"}))
	if processes := processesWith(t, w.mark); len(processes) > 0 {
		t.Errorf("its worker lives on: %v", processes)
	}
	if _, err := os.Stat(runFolder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left behind (%v)", runFolder, err)
	}
	w.expectGone(t, runFolder)
}

// TestKillOfTheHarness kills the harness itself: nobody can clean up in its place but what it
// started for that.
func TestKillOfTheHarness(t *testing.T) {
	t.Parallel()
	w := startWaiting(t)
	runFolder := w.runFolder(t)
	if err := w.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = w.Wait()
	until(t, "its worker is gone", func() bool { return len(processesWith(t, w.mark)) == 0 })
	until(t, "its server is gone", func() bool { return len(processesWith(t, runFolder)) == 0 })
	call(t, "run", w.folder, "--run", "^a$").expectStatus(t, 0)
	w.expectGone(t, runFolder)
}

// TestTwoRunsSideBySide runs two of one checkout at once: neither sees the other.
func TestTwoRunsSideBySide(t *testing.T) {
	t.Parallel()
	first, second := startWaiting(t), startWaiting(t)
	if a, b := first.runFolder(t), second.runFolder(t); a == b {
		t.Errorf("both keep their data in %s", a)
	}
	for _, w := range []*waiting{first, second} {
		runFolder := w.runFolder(t)
		if err := w.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = w.Wait()
		if status := w.ProcessState.ExitCode(); status != 130 {
			t.Errorf("exit status %d, want 130\n%s%s", status, w.stdout.String(), w.stderr.String())
		}
		w.expectGone(t, runFolder)
	}
}
