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
	"strings"
	"testing"

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

func TestNothingSurvivesAKilledHarness(t *testing.T) {
	directory := filepath.Join(t.TempDir(), fmt.Sprintf("run-%d-%d", os.Getpid(), lives.Add(1)))
	if err := os.MkdirAll(filepath.Join(directory, "data", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	harness := exec.Command("/proc/self/exe")
	harness.Env = append(os.Environ(), harnessRole+"="+directory)
	output, err := harness.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := harness.Start(); err != nil {
		t.Fatal(err)
	}
	var known []int
	for lines := bufio.NewScanner(output); len(known) < 8 && lines.Scan(); {
		var pid int
		if _, err := fmt.Sscanf(lines.Text(), "pid %d", &pid); err != nil {
			t.Fatalf("the harness said %q", lines.Text())
		}
		known = append(known, pid)
	}
	if len(known) != 8 {
		t.Fatalf("the harness started %v", known)
	}
	if err := harness.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = harness.Wait()
	err = clock.Until(limit(t), func(context.Context) (bool, error) {
		for _, pid := range known {
			if state := stateOf(pid); state != "" && state != "Z" {
				return false, nil
			}
		}
		_, err := os.Stat(directory)
		return errors.Is(err, fs.ErrNotExist), nil
	})
	if err != nil {
		for _, pid := range known {
			t.Errorf("%v: process %d is in state %q", err, pid, stateOf(pid))
		}
	}
	reapStrangers(known)
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
