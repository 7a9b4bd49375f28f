package process_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lostreply/harness/clock"
	"lostreply/harness/process"
)

func stop(t *testing.T, g *process.Group) process.Confirmation {
	t.Helper()
	confirmed, err := g.Stop(limit(t))
	if err != nil {
		t.Fatal(err)
	}
	return confirmed
}

func mustBeStopped(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if state := stateOf(pid); state != "T" {
			t.Errorf("process %d is in state %q, want T", pid, state)
		}
	}
}

func TestStopAndContinueTheWholeWorker(t *testing.T) {
	g := shell(t, `setsid sh -c 'echo "daemon $$"; while :; do sleep 0.01; done' &
		sh -c 'echo "child $$"; while :; do sleep 0.01; done' & wait`)
	members := []int{g.ID(), pidOf(t, g, "daemon "), pidOf(t, g, "child ")}
	for range 3 {
		confirmed := stop(t, g)
		mustBeStopped(t, members...)
		for _, pid := range members {
			if !slices.Contains(pids(confirmed), pid) {
				t.Errorf("%d is not confirmed: %v", pid, confirmed)
			}
		}
		if _, err := g.Continue(limit(t)); err != nil {
			t.Fatal(err)
		}
		for _, pid := range members {
			if state := stateOf(pid); state == "T" || state == "" {
				t.Errorf("process %d is in state %q after continue", pid, state)
			}
		}
	}
	stop(t, g)
	kill(t, g)
	mustBeGone(t, members...)
}

func TestStoppedMeansNoFurtherOutput(t *testing.T) {
	g := shell(t, `i=0; while :; do i=$((i+1)); echo "tick $i"; sleep 0.001; done`)
	waitLine(t, g, "tick 3")
	stop(t, g)
	// What it wrote before may still be on its way: the reader is ours.
	waitLine(t, g, "tick")
	settled := func() int {
		last := -1
		err := clock.Until(limit(t), func(context.Context) (bool, error) {
			now := len(g.Lines())
			same := now == last
			last = now
			return same, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return last
	}
	first := settled()
	<-short(t).Done()
	if second := settled(); second != first {
		t.Errorf("%d lines were written while it was stopped", second-first)
	}
	if _, err := g.Continue(limit(t)); err != nil {
		t.Fatal(err)
	}
	err := clock.Until(limit(t), func(context.Context) (bool, error) {
		return len(g.Lines()) > first, nil
	})
	if err != nil {
		t.Errorf("it does not go on: %v", err)
	}
}

func TestStopMembersThatAreForking(t *testing.T) {
	g := shell(t, `echo up; while :; do (sleep 0.01 & sleep 0.01) & sleep 0.002; done`)
	waitLine(t, g, "up")
	for range 3 {
		mustBeStoppedOrDead(t, stop(t, g))
		if _, err := g.Continue(limit(t)); err != nil {
			t.Fatal(err)
		}
	}
	kill(t, g)
}

// mustBeStoppedOrDead is for members that end by themselves all the time.
func mustBeStoppedOrDead(t *testing.T, confirmed process.Confirmation) {
	t.Helper()
	for _, pid := range pids(confirmed) {
		if state := stateOf(pid); state != "T" && state != "Z" && state != "" {
			t.Errorf("process %d is in state %q, want T", pid, state)
		}
	}
}

func TestStopThatStoppedNothing(t *testing.T) {
	g := shell(t, "exit 4")
	waitEnded(t, g)
	if _, err := g.Stop(limit(t)); !errors.Is(err, process.ErrAlreadyEnded) ||
		!strings.Contains(err.Error(), "stop worker a: ") ||
		!strings.Contains(err.Error(), "exit 4") {
		t.Errorf("stop of an ended worker: %v", err)
	}
	if _, err := g.Continue(limit(t)); !errors.Is(err, process.ErrAlreadyEnded) {
		t.Errorf("continue of an ended worker: %v", err)
	}
}

func TestContinueOfWhatIsNotStopped(t *testing.T) {
	g := shell(t, "sleep 1000")
	if _, err := g.Continue(limit(t)); !errors.Is(err, process.ErrNotStopped) {
		t.Errorf("continue of a running worker: %v", err)
	}
}

func TestStopOfWhatHasStoppedItself(t *testing.T) {
	g := shell(t, "kill -STOP $$; echo on; sleep 1000")
	err := clock.Until(limit(t), func(context.Context) (bool, error) {
		return stateOf(g.ID()) == "T", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	stop(t, g)
	if _, err := g.Continue(limit(t)); err != nil {
		t.Fatal(err)
	}
	waitLine(t, g, "on")
}

// A runtime starts programs by vfork(2): a child that is stopped between that and its execve keeps
// its parent from stopping. The worker is this test binary, which does nothing but start programs.
func TestStopOfAProgramThatStartsProgramsByVfork(t *testing.T) {
	spec := specOf("/proc/self/exe")
	spec.Env = append(spec.Env, spawnerRole+"=1")
	g := start(t, spec)
	waitLine(t, g, "spawning")
	for range 10 {
		confirmed := stop(t, g)
		mustBeStopped(t, g.ID())
		mustBeStoppedOrDead(t, confirmed)
		if _, err := g.Continue(limit(t)); err != nil {
			t.Fatal(err)
		}
	}
	kill(t, g)
}
