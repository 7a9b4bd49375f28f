package process

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

// Stop sends SIGSTOP to the whole worker, and returns when the leader's wait status says that it
// has stopped, every thread of every member is seen stopped, and another look finds no member more
// (one may have been forking). A leader that has ended is ErrAlreadyEnded. When ctx ends
// first the error wraps its cause and lists who has not stopped.
func (g *Group) Stop(ctx context.Context) (Confirmation, error) {
	done, err := g.act(ctx, "stop")
	if err != nil {
		return Confirmation{}, err
	}
	defer done()
	if g.leaderHasEnded() {
		return Confirmation{}, g.alreadyEnded("stop")
	}
	g.signalGroup(unix.SIGSTOP)
	stopping := stopping{group: g, seen: census{}}
	if err := clock.Until(ctx, stopping.look); err != nil {
		return stopping.seen.confirmation(), fmt.Errorf("stop %s: %w; not stopped: %s",
			g.spec.Name, err, stopping.seen.named(stopping.moving))
	}
	if g.leaderHasEnded() {
		<-g.leaderEnded
		return Confirmation{}, g.alreadyEnded("stop")
	}
	return stopping.seen.confirmation(), nil
}

// stopping is the state of a stop between two looks.
type stopping struct {
	group  *Group
	seen   census
	moving []int
	looks  int // at which some member had not stopped
	nudges int
	quiet  int // looks for which no stop is sent
}

// look sends SIGSTOP to every member that moves, and tells whether all have stopped.
func (s *stopping) look(context.Context) (bool, error) {
	g := s.group
	if g.leaderHasEnded() {
		return true, nil
	}
	pids, err := g.members()
	if err != nil {
		return false, err
	}
	s.seen.see(g, pids)
	s.moving = slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		return hasStopped(pid) && (pid != g.leader || g.isStopped())
	})
	if len(s.moving) == 0 {
		again, err := g.members()
		return slices.Equal(pids, again), err
	}
	s.looks++
	if s.quiet > 0 {
		s.quiet--
		return false, nil
	}
	if s.looks%5 == 0 {
		return false, s.nudge(pids)
	}
	for _, pid := range s.moving {
		if err := signalProcess(pid, unix.SIGSTOP, g.belongs); err != nil {
			return false, err
		}
	}
	return false, nil
}

// nudge lets a stopped child of a waiting member go on for some looks. After vfork(2), which shells
// and runtimes start programs by, the parent waits in the kernel, where it can't be stopped, until
// the child has called execve: a child stopped before that would keep the parent from stopping for
// ever. Each nudge is longer than the one before.
func (s *stopping) nudge(pids []int) error {
	waiting := slices.DeleteFunc(slices.Clone(s.moving), func(pid int) bool {
		return !slices.Contains(threadStates(pid), 'D')
	})
	for _, pid := range pids {
		read, found := readStat(fmt.Sprintf("/proc/%d/stat", pid))
		if !found || !hasStopped(pid) || !slices.Contains(waiting, read.parent) {
			continue
		}
		if err := signalProcess(pid, unix.SIGCONT, s.group.belongs); err != nil {
			return err
		}
		s.quiet = s.nudges + 1
	}
	s.nudges++
	return nil
}

// hasStopped tells whether every thread of a process is stopped (or has ended).
func hasStopped(pid int) bool {
	return !slices.ContainsFunc(threadStates(pid), func(state byte) bool {
		return state != 'T' && state != 't' && !stat{state: state}.dead()
	})
}

// Continue sends SIGCONT to the whole worker, and returns when the leader's wait status says that
// it goes on and every member has been seen going. A worker that is not stopped is ErrNotStopped,
// one whose leader has ended ErrAlreadyEnded. When ctx ends first the error wraps its cause and
// lists who is still stopped.
func (g *Group) Continue(ctx context.Context) (Confirmation, error) {
	done, err := g.act(ctx, "continue")
	if err != nil {
		return Confirmation{}, err
	}
	defer done()
	if g.leaderHasEnded() {
		return Confirmation{}, g.alreadyEnded("continue")
	}
	if !g.isStopped() {
		return Confirmation{}, fmt.Errorf("continue %s: %w: stop it first", g.spec.Name, ErrNotStopped)
	}
	seen := census{}
	pids, err := g.members()
	if err != nil {
		return Confirmation{}, fmt.Errorf("continue %s: %w", g.spec.Name, err)
	}
	g.signalGroup(unix.SIGCONT)
	if err := g.signalOutsiders(pids, unix.SIGCONT); err != nil {
		return Confirmation{}, fmt.Errorf("continue %s: %w", g.spec.Name, err)
	}
	// Each member is looked at until it has been seen going once: it may well stop itself again.
	err = clock.Until(ctx, func(context.Context) (bool, error) {
		seen.see(g, pids)
		pids = slices.DeleteFunc(pids, func(pid int) bool {
			return !alive(pid) || !slices.Contains(threadStates(pid), 'T')
		})
		return len(pids) == 0 && (!g.isStopped() || g.leaderHasEnded()), nil
	})
	if err != nil {
		return seen.confirmation(), fmt.Errorf("continue %s: %w; still stopped: %s",
			g.spec.Name, err, seen.named(pids))
	}
	return seen.confirmation(), nil
}
