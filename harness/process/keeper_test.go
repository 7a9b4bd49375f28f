package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
	"lostreply/harness/process"
)

// playHarness is a small harness of its own: it starts its keeper and three workers, prints every
// process it knows of, and waits to be killed. Its role names its run directory.
func playHarness() {
	fail := func(err error) {
		if err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
	}
	fail(process.BecomeSubreaper())
	directory := os.Getenv(harnessRole)
	keeper, err := process.StartKeeper(filepath.Base(directory), []string{directory})
	fail(err)
	for number, script := range []string{
		`echo "pid $$"; sleep 1000 & echo "pid $!"; wait`,
		`echo "pid $$"; setsid sh -c 'echo "pid $$"; sleep 1000; :' & sleep 1000`,
		`echo "pid $$"; env -i /bin/sh -c 'echo "pid $$"; sleep 1000; :' & wait`,
		`sh -c 'echo "pid $$"; trap "" TERM HUP; while :; do sleep 0.01; done' & echo "pid $$"; exit 0`,
	} {
		worker, err := process.Start(context.Background(), process.Spec{
			Name: fmt.Sprintf("worker %d", number), Path: "sh", Args: []string{"-c", script},
			Env:    process.Environment(nil, nil),
			Marker: process.Marker(filepath.Base(directory), "w", number),
			Keeper: keeper, Echo: func(line process.Line) { fmt.Println(line.Text) },
		})
		fail(err)
		defer worker.Lines()
	}
	select {}
}

// The harness is killed when it has said so many pids: after its first word, while it starts its
// workers, and after the last.
func TestNothingSurvivesAKilledHarness(t *testing.T) {
	for _, count := range []int{1, 3, 8} {
		name := fmt.Sprintf("run-%d-%d", os.Getpid(), lives.Add(1))
		directory := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(directory, "data", "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
		known := killHarness(t, directory, count)
		var left []int
		err := clock.Until(limit(t), func(context.Context) (bool, error) {
			left = append(running(known), marked(t, name)...)
			_, err := os.Stat(directory)
			return len(left) == 0 && errors.Is(err, fs.ErrNotExist), nil
		})
		if err != nil {
			t.Errorf("killed after %d pids: %v; %v are left", count, err, left)
		}
		reapStrangers(known)
	}
}

// killHarness runs playHarness until it has said count pids, kills it, and returns those pids.
func killHarness(t *testing.T, directory string, count int) (known []int) {
	t.Helper()
	harness := exec.Command("/proc/self/exe")
	harness.Env = append(os.Environ(), harnessRole+"="+directory)
	output, err := harness.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := harness.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(output); len(known) < count && lines.Scan(); {
		var pid int
		if _, err := fmt.Sscanf(lines.Text(), "pid %d", &pid); err != nil {
			t.Errorf("the harness said %q", lines.Text())
		}
		known = append(known, pid)
	}
	if len(known) != count {
		t.Errorf("the harness started %v", known)
	}
	if err := harness.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = harness.Wait()
	return known
}

// running are those of pids that can still do something.
func running(pids []int) (left []int) {
	for _, pid := range pids {
		if state := stateOf(pid); state != "" && state != "Z" {
			left = append(left, pid)
		}
	}
	return left
}

// marked finds what carries the run's marker, by means of its own.
func marked(t *testing.T, run string) (left []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if strings.Contains(string(text), process.MarkerName+"="+run+"/") {
			var pid int
			fmt.Sscanf(file, "/proc/%d/", &pid)
			left = append(left, pid)
		}
	}
	return left
}

// A Ctrl-C at the terminal, and a signal to all there is, reach the harness; the keeper stays.
func TestKeeperOutlivesSignals(t *testing.T) {
	directory := t.TempDir()
	before := keepers(t) // those of killed harnesses may just be ending
	keeper, err := process.StartKeeper("signals", []string{directory})
	if err != nil {
		t.Fatal(err)
	}
	ours := slices.DeleteFunc(keepers(t), func(pid int) bool { return slices.Contains(before, pid) })
	if len(ours) != 1 {
		t.Fatalf("keepers %v found, before %v", ours, before)
	}
	if session, err := unix.Getsid(ours[0]); err != nil || session != ours[0] {
		t.Errorf("the keeper %d is in session %d, %v", ours[0], session, err)
	}
	for _, signal := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT} {
		if err := unix.Kill(ours[0], signal); err != nil {
			t.Error(err)
		}
	}
	if _, err := keeper.Close(); err != nil {
		t.Errorf("close after signals: %v", err)
	}
	if _, err := os.Stat(directory); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory: %v", err)
	}
}

// keepers are the children of this process that are keepers.
func keepers(t *testing.T) (found []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var pid int
		fmt.Sscanf(file, "/proc/%d/", &pid)
		text, _ := os.ReadFile(file)
		if string(text) == "lostreply-keeper\x00" && parentOf(pid) == os.Getpid() {
			found = append(found, pid)
		}
	}
	return found
}

func parentOf(pid int) (parent int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "PPid: %d", &parent)
	}
	return parent
}

func TestKeeperOfAnOrderlyRunFindsNothing(t *testing.T) {
	spec := specOf("sh", "-c", "sleep 1000 & wait")
	run, _, _ := strings.Cut(spec.Marker, "/")
	directory, kept := t.TempDir(), t.TempDir()
	keeper, err := process.StartKeeper(run, []string{directory, kept})
	if err != nil {
		t.Fatal(err)
	}
	spec.Keeper = keeper
	kill(t, start(t, spec))
	if err := keeper.ForgetDirectory(kept); err != nil {
		t.Error(err)
	}
	found, err := keeper.Close()
	if err != nil || len(found.Killed)+len(found.Failed) > 0 {
		t.Errorf("found %+v, error %v", found, err)
	}
	if _, err := os.Stat(directory); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the run's directory is still there: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the directory to be kept: %v", err)
	}
	if _, err := process.Start(limit(t), spec); err == nil ||
		!strings.Contains(err.Error(), "the keeper is closed") {
		t.Errorf("start without a keeper: %v", err)
	}
	if _, err := keeper.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestKeeperEndsAndNamesWhatIsLeftAtClose(t *testing.T) {
	spec := specOf("sh", "-c", `sleep 1004 & echo up; wait`)
	run, _, _ := strings.Cut(spec.Marker, "/")
	keeper, err := process.StartKeeper(run, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Keeper = keeper
	g := start(t, spec)
	waitLine(t, g, "up")
	found, err := keeper.Close()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(found.Killed, "|"); !strings.Contains(got, "sleep 1004") {
		t.Errorf("killed %q", got)
	}
	if got := waitEnded(t, g).String(); got != "signal KILL" {
		t.Errorf("ended with %s", got)
	}
}

func TestKeeperRefusesWhatItMustNotTouch(t *testing.T) {
	for _, directory := range []string{"/", "/tmp", "relative/path", "/tmp/..", ""} {
		if _, err := process.StartKeeper("r", []string{directory}); err == nil {
			t.Errorf("directory %q was accepted", directory)
		}
	}
	for _, run := range []string{"", "a/b", "a\nb"} {
		if _, err := process.StartKeeper(run, nil); err == nil {
			t.Errorf("run %q was accepted", run)
		}
	}
	var none *process.Keeper
	if _, err := none.Close(); err != nil || none.Watch(5) != nil {
		t.Error("no keeper is not nothing")
	}
}
