package process

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

// Kill sends SIGKILL to the whole worker, those who left its group included, and returns when every
// member is gone, its output has been read to the end, and the leader's wait status says that it
// was the kill that ended it. A leader that had ended by itself is ErrAlreadyEnded: the kill killed
// nothing (what it had left behind is ended all the same, and named in Ending). When ctx ends first
// the error wraps its cause and lists who is still there.
func (g *Group) Kill(ctx context.Context) (Confirmation, error) {
	done, err := g.act(ctx, "kill")
	if err != nil {
		return Confirmation{}, err
	}
	defer done()
	already := g.leaderHasEnded()
	confirmed, err := g.destroy(ctx, "kill")
	if err != nil {
		return confirmed, err
	}
	if ending := g.Ending(); already || ending.Signal != signalName(killSignal) {
		return confirmed, g.alreadyEnded("kill")
	}
	return confirmed, nil
}

// Terminate ends the worker quietly, as at the end of a scenario: SIGKILL to all of it, whether its
// leader had ended or not. It fails only when a member is still there when ctx ends.
func (g *Group) Terminate(ctx context.Context) error {
	done, err := g.act(ctx, "end")
	if err != nil {
		return err
	}
	defer done()
	_, err = g.destroy(ctx, "end")
	return err
}

// leaderHasEnded asks the kernel, not the goroutine that waits: that one may not have run yet.
func (g *Group) leaderHasEnded() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.reaped || isClosed(g.leaderEnded) {
		return true
	}
	last, err := waitFor(unix.P_PID, g.leader, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT)
	return err != nil || last.pid != 0
}

func (g *Group) alreadyEnded(verb string) error {
	return fmt.Errorf("%s %s: %w (%s)%s", verb, g.spec.Name, ErrAlreadyEnded, g.Ending(), g.quote())
}

// destroy kills until nothing is left. One signal reaches the whole group at once; those who left
// it are killed as they are found, again and again, as they may be forking.
func (g *Group) destroy(ctx context.Context, verb string) (Confirmation, error) {
	seen := census{}
	first := true
	err := g.untilEnded(ctx, func(context.Context) (bool, error) {
		pids, err := g.membersAndHolders()
		if err != nil {
			return false, err
		}
		if first && g.leaderHasEnded() {
			g.noteLeftovers(pids)
		}
		first = false
		seen.see(g, pids)
		g.signalGroup(killSignal)
		return false, g.signalOutsiders(pids, killSignal)
	})
	if err != nil {
		there, _ := g.membersAndHolders() // if /proc can't be read, err says so already
		seen.see(g, there)
		err = fmt.Errorf("%s %s: %w; still there: %s", verb, g.spec.Name, err, seen.named(there))
	}
	return seen.confirmation(), err
}

// untilEnded looks again and again, until the worker has ended: then at once.
func (g *Group) untilEnded(
	ctx context.Context, look func(context.Context) (bool, error),
) error {
	looking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-g.ended:
			cancel(nil)
		case <-looking.Done():
		}
	}()
	if isClosed(g.ended) {
		return nil
	}
	err := clock.Until(looking, look)
	if isClosed(g.ended) {
		return nil
	}
	return err
}

func (g *Group) noteLeftovers(pids []int) {
	commands := commandLines(slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		return pid == g.leader
	}))
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.leftovers = append(g.leftovers, commands...)
}

// signalOutsiders signals those of pids that are not in the group, each on its own.
func (g *Group) signalOutsiders(pids []int, signal unix.Signal) error {
	for _, pid := range pids {
		if group, err := unix.Getpgid(pid); err != nil || group == g.leader {
			continue
		}
		if err := signalProcess(pid, signal, g.belongsOrHolds); err != nil {
			return err
		}
	}
	return nil
}

// belongsOrHolds is belongs for those who are members only by holding the worker's output.
func (g *Group) belongsOrHolds(pid int) bool {
	if g.belongs(pid) {
		return true
	}
	holding, err := holders(g.pipes)
	return err == nil && slices.Contains(holding, pid)
}

// named lists members for a message.
func (c census) named(pids []int) string {
	var names []string
	for _, pid := range pids {
		if member, found := c[pid]; found {
			names = append(names, member.String())
		}
	}
	if len(names) == 0 {
		return "no process, but its output has not been read to the end"
	}
	return strings.Join(names, " | ")
}
