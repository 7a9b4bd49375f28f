package process

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Confirmation is what an act on a worker was confirmed on: every member that was seen while it was
// done, ordered by pid. After a kill the states are those in which the members were last seen
// before they were gone.
type Confirmation struct {
	Members []Member
}

// census gathers the members that were seen while an act was done.
type census map[int]Member

// see notes the members as they are now.
func (c census) see(g *Group, pids []int) {
	for _, pid := range pids {
		member, found := describe(pid)
		if !found || member.State == stateName('Z') {
			continue
		}
		group, err := unix.Getpgid(pid)
		if _, before := c[pid]; before && err != nil {
			continue // it is on its way out, and was seen whole
		}
		member.Left = err == nil && group != g.leader
		c[pid] = member
	}
}

func (c census) confirmation() Confirmation {
	members := make([]Member, 0, len(c))
	for _, member := range c {
		members = append(members, member)
	}
	slices.SortFunc(members, func(a, b Member) int { return a.PID - b.PID })
	return Confirmation{Members: members}
}

// belongs tells whether a process is a member of the worker: by its group, or, when it has left
// that, by its marker or because it has been a member before. The harness never is.
func (g *Group) belongs(pid int) bool {
	if pid == os.Getpid() {
		return false
	}
	if pid == g.leader {
		return true
	}
	group, err := unix.Getpgid(pid)
	if err != nil || group == kernelGroup {
		return false
	}
	if group == g.leader || g.outsiders.has(pid) {
		return true
	}
	return g.carriesMarker(pid, group)
}

// carriesMarker tells whether a process's environment has the worker's marker.
func (g *Group) carriesMarker(pid, group int) bool {
	if g.spec.Strangers.has(pid, group) {
		return false
	}
	text, settled := settledEnvironment(pid)
	if settled && !marked(text, "") {
		g.spec.Strangers.note(pid, group)
	}
	return marked(text, g.spec.Marker+"\x00")
}

// kernelGroup is the process group that the kernel's own threads are in.
const kernelGroup = 0

// members lists the worker's members that can still run, ascending.
func (g *Group) members() ([]int, error) {
	living, _, err := g.look()
	return living, err
}

// look lists the worker's members, ascending: those that can still run, and those that can't but
// have not been reaped.
func (g *Group) look() (living, dead []int, err error) {
	pids, err := processes()
	if err != nil {
		return nil, nil, err
	}
	g.spec.Strangers.keep(pids)
	for _, pid := range pids {
		switch {
		case !g.belongs(pid):
		case alive(pid):
			living = append(living, pid)
		default:
			dead = append(dead, pid)
		}
	}
	g.pinOutsiders(living)
	return living, dead, nil
}

func (g *Group) pinOutsiders(members []int) {
	for _, pid := range members {
		if group, err := unix.Getpgid(pid); err == nil && group != g.leader && pid != g.leader {
			g.outsiders.pin(pid)
		}
	}
}

// membersAndHolders adds those who hold the worker's output open once no other member is left: a
// daemon that left the group and emptied its environment.
func (g *Group) membersAndHolders() ([]int, error) {
	members, err := g.members()
	if err != nil || len(members) > 0 || g.isDrained() {
		return members, err
	}
	holding, err := holders(g.pipes)
	if err != nil {
		return nil, err
	}
	members = slices.DeleteFunc(holding, func(pid int) bool { return !alive(pid) })
	g.pinOutsiders(members)
	return members, nil
}

// Leftovers are the command lines of the members that live although the leader has ended, oldest
// first; none while the leader lives. It looks at /proc at each call.
func (g *Group) Leftovers() []string {
	if !isClosed(g.leaderEnded) || isClosed(g.ended) {
		return nil
	}
	pids, err := g.membersAndHolders()
	if err != nil {
		return []string{err.Error()}
	}
	return commandLines(pids)
}

func commandLines(pids []int) []string {
	var commands []string
	for _, pid := range pids {
		if member, found := describe(pid); found {
			commands = append(commands, member.Command)
		}
	}
	return commands
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
