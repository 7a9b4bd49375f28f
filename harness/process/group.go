package process

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// Group is a worker: a process group with all who belong to it. Its methods may be called from any
// goroutine; acts are done one at a time.
type Group struct {
	spec   Spec
	leader int // pid of the leader and id of the group
	pipes  []uint64
	output *output
	acting chan struct{} // holds one token while an act is being done

	outsiders outsiders

	mutex       sync.Mutex // guards what follows
	stopped     bool       // the leader's last wait status was a stop
	reaped      bool       // the leader's zombie is gone: its id may be anyone's now
	ending      Ending
	leftovers   []string
	leaderEnded chan struct{}
	ended       chan struct{}
}

// Start starts a worker in a process group of its own, with nothing on its standard input. Ctx
// bounds only the starting; the worker lives until it ends or is killed. Errors name the program
// and say what to do; they wrap fs.ErrNotExist or fs.ErrPermission where that was it.
func Start(ctx context.Context, spec Spec) (*Group, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, context.Cause(ctx))
	}
	program, err := findProgram(spec)
	if err != nil {
		return nil, err
	}
	p, err := openPipes()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	inodes, err := p.inodes()
	if err != nil {
		p.close()
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	if spec.Strangers == nil {
		spec.Strangers = NewStrangers()
	}
	spec.Strangers.refresh()
	g := &Group{
		spec: spec, pipes: inodes,
		output: newOutput(spec.Echo), acting: make(chan struct{}, 1),
		leaderEnded: make(chan struct{}), ended: make(chan struct{}),
	}
	started := make(chan error)
	go g.live(program, &p, started)
	if err := <-started; err != nil {
		return nil, err
	}
	return g, nil
}

// live is the worker's own goroutine, from fork to the last reaping. It stays on one thread while
// the leader lives: PR_SET_PDEATHSIG fires when the thread that forked ends.
func (g *Group) live(program string, p *pipes, started chan<- error) {
	runtime.LockOSThread()
	leader, err := fork(g.spec, program, p)
	if err != nil {
		runtime.UnlockOSThread()
		p.close()
		started <- explain(g.spec, program, err)
		return
	}
	p.closeWriters()
	g.leader = leader
	g.output.drain(p.readers())
	// From fork to here a killed harness takes the leader with it by PR_SET_PDEATHSIG, and the
	// keeper finds what the leader may have forked by its marker; from here it knows the group.
	watching := g.spec.Keeper.Watch(leader)
	if watching != nil {
		g.signalGroup(killSignal)
	}
	if watching == nil {
		started <- nil
	}
	g.awaitLeader()
	runtime.UnlockOSThread()
	alone := g.output.hungUp()
	g.awaitMembers()
	<-g.output.drained
	if !alone { // the end of the output comes before the end of the one who held it
		g.awaitMembers()
	}
	g.finish()
	if watching != nil {
		started <- fmt.Errorf("start %s: %w", g.spec.Name, watching)
	}
}

// ID is the id of the process group, which is the pid of its leader.
func (g *Group) ID() int { return g.leader }

// Name is what messages call the worker.
func (g *Group) Name() string { return g.spec.Name }

// LeaderEnded is closed when the leader has ended. Members may live on: then Ended stays open, and
// Leftovers lists them.
func (g *Group) LeaderEnded() <-chan struct{} { return g.leaderEnded }

// Ended is closed when the leader has been reaped, every member is gone, and the output has been
// read to its end.
func (g *Group) Ended() <-chan struct{} { return g.ended }

// Ending is how the worker ended: valid once LeaderEnded is closed, its Leftovers once Ended is.
func (g *Group) Ending() Ending {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	ending := g.ending
	ending.Leftovers = append([]string(nil), g.leftovers...)
	return ending
}

// Lines is what the worker has written so far. Of an output beyond 10,000 lines or 4 MiB the middle
// is dropped; a line of stream Note stands in its place and says how much that was.
func (g *Group) Lines() []Line { return g.output.lines() }

// LastLines is the end of Lines, at most count of them.
func (g *Group) LastLines(count int) []Line { return g.output.last(count) }

func (g *Group) isDrained() bool { return isClosed(g.output.drained) }

// act makes acts wait for each other, within ctx; the function it returns ends the act.
func (g *Group) act(ctx context.Context, verb string) (func(), error) {
	select {
	case g.acting <- struct{}{}:
		return func() { <-g.acting }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s %s: another act on it is not done: %w",
			verb, g.spec.Name, context.Cause(ctx))
	}
}
