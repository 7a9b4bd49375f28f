package process

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

// killSignal can't be caught, blocked or ignored; the same holds for SIGSTOP.
const killSignal = unix.SIGKILL

// The si_code values of SIGCHLD, sigaction(2): what happened to the child.
const (
	childExited    = 1
	childKilled    = 2
	childDumped    = 3
	childStopped   = 5
	childContinued = 6
)

// change is one change of state of a child, as waitid reports it.
type change struct {
	pid    int
	code   int32
	status int32
}

// childInfo is siginfo_t as waitid fills it on 64-bit machines.
type childInfo struct {
	_      [2]int32
	code   int32
	_      int32
	pid    int32
	_      uint32
	status int32
	_      [100]byte
}

// waitFor waits for a change of a child. The change's pid is 0 when WNOHANG found none.
func waitFor(kind, id, options int) (change, error) {
	for {
		var info childInfo
		err := unix.Waitid(kind, id, (*unix.Siginfo)(unsafe.Pointer(&info)), options, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return change{int(info.pid), info.code, info.status}, err
	}
}

// awaitLeader follows the group's wait statuses until the leader has ended. The leader's zombie is
// not reaped yet: while it is there its number is taken, so that a signal to the group can never
// reach strangers. Orphans of the group, whose parent the harness has become, are reaped as they
// die. It waits for this group alone: other children are other packages' business.
func (g *Group) awaitLeader() {
	kind := unix.P_PGID
	for {
		const changes = unix.WEXITED | unix.WSTOPPED | unix.WCONTINUED
		seen, err := waitFor(kind, g.leader, changes|unix.WNOWAIT)
		if err != nil {
			if kind == unix.P_PID {
				// Someone else has reaped our child; its status is lost.
				g.endLeader(change{code: childKilled})
				return
			}
			kind = unix.P_PID // the leader has moved itself into another group
			continue
		}
		switch seen.code {
		case childStopped:
			consume(seen.pid, unix.WSTOPPED)
			g.noteStopped(seen.pid, true)
		case childContinued:
			consume(seen.pid, unix.WCONTINUED)
			g.noteStopped(seen.pid, false)
		case childExited, childKilled, childDumped:
			if seen.pid == g.leader {
				g.endLeader(seen)
				return
			}
			consume(seen.pid, unix.WEXITED)
		}
	}
}

// consume takes a change that was only looked at; that it is gone already is no error.
func consume(pid, option int) {
	_, _ = waitFor(unix.P_PID, pid, option|unix.WNOHANG)
}

func (g *Group) noteStopped(pid int, stopped bool) {
	if pid != g.leader {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.stopped = stopped
}

func (g *Group) isStopped() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.stopped
}

func (g *Group) endLeader(last change) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.stopped = false
	if last.code == childExited {
		g.ending.Exit = int(last.status)
	} else {
		g.ending.Signal = signalName(unix.Signal(last.status))
	}
	close(g.leaderEnded)
}

// awaitMembers waits until no member is left but the leader's zombie. It sleeps on the members'
// pidfds and looks again whenever one of them has ended.
func (g *Group) awaitMembers() {
	known := map[int]int{} // pidfd by pid
	defer func() {
		for _, pinned := range known {
			unix.Close(pinned)
		}
	}()
	for {
		pids, dead, err := g.look()
		if err != nil {
			return // no /proc: nothing further can be known
		}
		g.reapOrphans(dead)
		if len(pids) == 0 {
			return
		}
		if !sleepUntilOneEnds(known, pids) {
			_ = clock.Until(context.Background(), func(context.Context) (bool, error) {
				now, err := g.members()
				return !slices.Equal(now, pids), err
			})
		}
	}
}

// sleepUntilOneEnds tells whether it could sleep on all of pids; known gains their pidfds.
func sleepUntilOneEnds(known map[int]int, pids []int) bool {
	var polled []unix.PollFd
	for _, pid := range pids {
		pinned, found := known[pid]
		if !found {
			opened, err := unix.PidfdOpen(pid, 0)
			if errors.Is(err, unix.ESRCH) {
				return true // it has just ended
			}
			if err != nil {
				return false
			}
			pinned, known[pid] = opened, opened
		}
		polled = append(polled, unix.PollFd{Fd: int32(pinned), Events: unix.POLLIN})
	}
	for {
		if _, err := unix.Poll(polled, -1); !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// reapOrphans reaps the dead members whose parent the harness has become, but for the leader.
func (g *Group) reapOrphans(dead []int) {
	g.outsiders.reap()
	for _, pid := range dead {
		if pid != g.leader {
			consume(pid, unix.WEXITED)
		}
	}
}

// finish reaps the leader, after which nothing of the worker is left and its number is free.
func (g *Group) finish() {
	_ = g.spec.Keeper.Forget(g.leader) // a keeper that is gone has nothing to forget
	g.outsiders.release()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	consume(g.leader, unix.WEXITED)
	g.reaped = true
	close(g.ended)
}

// signalGroup signals the whole process group; never once its number may be anyone's.
func (g *Group) signalGroup(signal unix.Signal) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.reaped {
		// ESRCH and EPERM are no errors here: what counts is what /proc and the wait statuses show.
		_ = unix.Kill(-g.leader, signal)
	}
}
