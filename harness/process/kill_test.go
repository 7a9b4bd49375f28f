package process_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"lostreply/harness/clock"
	"lostreply/harness/process"
)

func kill(t *testing.T, g *process.Group) process.Confirmation {
	t.Helper()
	confirmed, err := g.Kill(limit(t))
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-g.Ended():
	default:
		t.Error("killed, but not ended")
	}
	if got := g.Ending().String(); got != "signal KILL" {
		t.Errorf("ended with %s", got)
	}
	return confirmed
}

func pids(confirmed process.Confirmation) []int {
	var pids []int
	for _, member := range confirmed.Members {
		pids = append(pids, member.PID)
	}
	return pids
}

func TestKillEndsTheWrapperAndItsChild(t *testing.T) {
	g := shell(t, `sleep 1000 & echo "child $!"; wait`)
	child := pidOf(t, g, "child ")
	confirmed := kill(t, g)
	mustBeGone(t, g.ID(), child)
	for _, pid := range []int{g.ID(), child} {
		if !slices.Contains(pids(confirmed), pid) {
			t.Errorf("%d is not confirmed: %v", pid, confirmed)
		}
	}
	if left := g.Ending().Leftovers; len(left) > 0 {
		t.Errorf("members that were killed are called leftovers: %q", left)
	}
}

func TestKillEndsWhatIgnoresSignals(t *testing.T) {
	g := shell(t, `trap "" TERM INT HUP; echo up; while :; do sleep 1000; done`)
	waitLine(t, g, "up")
	kill(t, g)
}

func TestKillEndsADaemonThatLeftTheGroup(t *testing.T) {
	g := shell(t, `setsid sh -c 'echo "daemon $$"; sleep 1000 & echo "its child $!"; wait' &
		sleep 1000`)
	daemon, child := pidOf(t, g, "daemon "), pidOf(t, g, "its child ")
	confirmed := kill(t, g)
	mustBeGone(t, g.ID(), daemon, child)
	index := slices.Index(pids(confirmed), daemon)
	if index < 0 || !confirmed.Members[index].Left {
		t.Errorf("daemon %d is not confirmed as one that left: %v", daemon, confirmed)
	}
}

func TestKillEndsADaemonThatEmptiedItsEnvironment(t *testing.T) {
	g := shell(t, `setsid env -i /bin/sh -c 'echo "daemon $$"; sleep 1000; :' & sleep 1000`)
	daemon := pidOf(t, g, "daemon ")
	kill(t, g)
	mustBeGone(t, g.ID(), daemon)
}

func TestKillEndsMembersThatAreForking(t *testing.T) {
	g := shell(t, `echo up; while :; do (sleep 0.01 & sleep 0.01; sleep 0.01) & sleep 0.002; done`)
	waitLine(t, g, "up")
	confirmed := kill(t, g)
	mustBeGone(t, pids(confirmed)...)
	if len(confirmed.Members) == 0 || confirmed.Members[0].PID > g.ID() {
		t.Errorf("the leader %d is not confirmed: %v", g.ID(), confirmed)
	}
}

func TestKillThatKilledNothing(t *testing.T) {
	g := shell(t, "echo done; exit 0")
	waitEnded(t, g)
	_, err := g.Kill(limit(t))
	if !errors.Is(err, process.ErrAlreadyEnded) {
		t.Fatalf("kill of an ended worker: %v", err)
	}
	for _, want := range []string{"kill worker a: ", "(exit 0)", "stdout: done"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestKillDoesNotTakeAForeignSigkillForItsOwn(t *testing.T) {
	g := shell(t, "kill -KILL $$")
	waitEnded(t, g)
	if _, err := g.Kill(limit(t)); !errors.Is(err, process.ErrAlreadyEnded) {
		t.Fatalf("kill of a killed worker: %v", err)
	}
}

func TestKillOfAnEndedLeaderEndsAndNamesItsLeftovers(t *testing.T) {
	g := shell(t, `sleep 1001 & echo "child $!"; exit 7`)
	child := pidOf(t, g, "child ")
	<-g.LeaderEnded()
	select {
	case <-g.Ended():
		t.Fatal("ended while a member lives")
	default:
	}
	// The child has been forked, and may not have become sleep yet.
	if left := g.Leftovers(); len(left) != 1 || !strings.Contains(left[0], "sleep 1001") {
		t.Errorf("leftovers %q", left)
	}
	if _, err := g.Kill(limit(t)); !errors.Is(err, process.ErrAlreadyEnded) {
		t.Fatalf("kill of an ended leader: %v", err)
	}
	mustBeGone(t, g.ID(), child)
	ending := waitEnded(t, g)
	if left := ending.Leftovers; ending.String() != "exit 7" || len(left) != 1 ||
		!strings.Contains(left[0], "sleep 1001") {
		t.Errorf("ending %s, leftovers %q", ending, left)
	}
}

func TestTerminateIsQuietAndNamesADaemonLeftBehind(t *testing.T) {
	g := shell(t, `setsid sh -c 'exec >/dev/null 2>&1; exec sleep 1002' & echo "daemon $!"
		sleep 0.05`)
	daemon := pidOf(t, g, "daemon ")
	err := clock.Until(limit(t), func(context.Context) (bool, error) {
		return slices.Equal(g.Leftovers(), []string{"sleep 1002"}), nil
	})
	if err != nil {
		t.Fatalf("%v; leftovers %q", err, g.Leftovers())
	}
	for range 2 {
		if err := g.Terminate(limit(t)); err != nil {
			t.Fatal(err)
		}
	}
	mustBeGone(t, daemon)
	if left := g.Ending().Leftovers; !slices.Equal(left, []string{"sleep 1002"}) {
		t.Errorf("leftovers %q", left)
	}
}

func TestMembersThatEndByThemselvesAreNoLeftovers(t *testing.T) {
	g := shell(t, `(sleep 0.1; echo late) & exit 0`)
	ending := waitEnded(t, g)
	if ending.String() != "exit 0" || len(ending.Leftovers) > 0 {
		t.Errorf("ending %+v", ending)
	}
	waitLine(t, g, "late")
}

func TestOrphansAreReapedWhileTheLeaderLives(t *testing.T) {
	g := shell(t, `sh -c 'sleep 0.01 & echo "orphan $!"' ; sleep 1000`)
	orphan := pidOf(t, g, "orphan ")
	err := clock.Until(limit(t), func(context.Context) (bool, error) { return !exists(orphan), nil })
	if err != nil {
		t.Errorf("orphan %d: %v, state %s", orphan, err, stateOf(orphan))
	}
	kill(t, g)
}

func TestKillPastItsDeadlineSaysWhatIsMissing(t *testing.T) {
	gate := make(chan struct{})
	spec := specOf("sh", "-c", "echo up; exec sleep 1000")
	spec.Echo = func(process.Line) { <-gate }
	g := start(t, spec)
	waitLine(t, g, "up")
	ctx, giveUp := context.WithCancelCause(limit(t))
	enough := errors.New("the user has had enough")
	go func() {
		<-g.LeaderEnded()
		giveUp(enough)
	}()
	_, err := g.Kill(ctx)
	if !errors.Is(err, enough) || errors.Is(err, process.ErrAlreadyEnded) ||
		!strings.Contains(err.Error(), "no process, but its output has not been read to the end") {
		t.Errorf("kill: %v", err)
	}
	close(gate)
	waitEnded(t, g)
}

func TestActsWaitForEachOther(t *testing.T) {
	gate := make(chan struct{})
	spec := specOf("sh", "-c", "echo up; sleep 1000")
	spec.Echo = func(process.Line) { <-gate }
	g := start(t, spec)
	waitLine(t, g, "up")
	killed := make(chan error, 1)
	go func() {
		_, err := g.Kill(limit(t))
		killed <- err
	}()
	<-g.LeaderEnded()
	_, err := g.Stop(short(t))
	if !errors.Is(err, clock.ErrDeadline) || !strings.Contains(err.Error(), "another act") {
		t.Errorf("stop during a kill: %v", err)
	}
	close(gate)
	if err := <-killed; err != nil {
		t.Error(err)
	}
}

func TestChildrenOfOthersKeepTheirWaitStatus(t *testing.T) {
	g := shell(t, `while :; do (sleep 0.001 &) ; done`)
	for range 10 {
		err := exec.Command("sh", "-c", "(sleep 0.001 &); exit 3").Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Fatalf("another package's child: %v", err)
		}
	}
	kill(t, g)
}

func TestManyWorkersSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			g, err := process.Start(limit(t), specOf("sh", "-c", `sleep 1000 & echo up; wait`))
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := g.WaitLine(limit(t), begins("up")); err != nil {
				t.Error(err)
			}
			if _, err := g.Kill(limit(t)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
