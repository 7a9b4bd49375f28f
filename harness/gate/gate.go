// Package gate decides what becomes of each event: it numbers it, writes it into the history, and
// either lets it pass or holds it until exactly one act is done on it. It touches no socket and no
// process; the edges (wire, fakes, stage) ask it and do what it answers.
package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"lostreply/harness/event"
)

// Act is what becomes of an event once the gate has let it go.
type Act struct {
	Kind ActKind
	// SQLState is the five-character code that Fail answers with instead of forwarding.
	SQLState string
	// of is the hold that the act is on; nil for an event that nothing held.
	of *Hold
}

// ActKind names an act. Kill, stop and continue are done on the worker's process by the stage; what
// the edge is told then is Abandon (the worker is dead) or nothing (it is only stopped).
type ActKind string

// The acts an edge can be told to carry out.
const (
	Pass      ActKind = "pass"      // go on as if nothing had happened
	Abandon   ActKind = "abandon"   // the worker is gone: neither forward nor answer
	Sever     ActKind = "sever"     // close the connection, at once and without an answer
	BlackHole ActKind = "blackhole" // keep the connection open and silent
	Fail      ActKind = "fail"      // answer with an error instead of forwarding
)

// Passing is the act of an event that nothing holds.
func Passing() Act { return Act{Kind: Pass} }

// Policy decides, for each event in order, whether it is held. A scenario's breakpoints, the
// scheduler and the explorer are policies. Decide is called under the gate's lock, in the order of
// their arrival, and must not block. A non-nil Hold stops the event until the gate's Resolve.
type Policy interface {
	Decide(e event.Event) *Hold
}

// Hold is one stop of one event. Its channels are closed under the gate's lock.
type Hold struct {
	reached  chan struct{}
	missed   chan struct{}
	resolved chan struct{}
	carried  chan struct{}
	once     sync.Once // guards failure and carried
	failure  error
	late     bool // the event is recorded when it is let go, not when it comes
	arrived  int  // counts the gate's holds
	event    event.Event
	act      Act
}

// NewHold makes a hold that no event has reached.
func NewHold() *Hold {
	return &Hold{
		reached: make(chan struct{}), missed: make(chan struct{}), resolved: make(chan struct{}),
		carried: make(chan struct{}),
	}
}

// Reached is closed when an event has been stopped by the hold.
func (h *Hold) Reached() <-chan struct{} { return h.reached }

// Missed is closed when the event came and was stopped by another hold, at another of its names.
// The hold will never be reached then.
func (h *Hold) Missed() <-chan struct{} { return h.missed }

// Event is the event that was stopped; valid once Reached is closed.
func (h *Hold) Event() event.Event { return h.event }

// ErrNotReached and ErrResolved are why a hold can't be acted on.
var (
	ErrNotReached = errors.New("the hold has not been reached")
	ErrResolved   = errors.New("the hold has already been acted on")
)

// Gate serialises a run's events. Its zero value is not usable; call New.
type Gate struct {
	mutex   sync.Mutex
	policy  Policy
	history history
	counts  map[countKey]int
	dead    map[life]bool
	open    map[*Hold]bool
	held    int           // how many holds were reached
	changed chan struct{} // nil while nobody waits for the next event
	watches []watch
	closed  bool
}

type life struct {
	worker      string
	incarnation int
}

// countKey counts the two phases apart: a poller's empty turn has a request, but no response that
// counts.
type countKey struct {
	life
	name  string
	phase event.Phase
}

// New makes a gate that asks policy about each event.
func New(policy Policy) *Gate {
	return &Gate{
		policy: policy, counts: map[countKey]int{}, dead: map[life]bool{},
		open: map[*Hold]bool{},
	}
}

// Arrive is called by an edge when an event reaches it. It numbers the event, records it, and
// returns what to do with it, blocking while the event is held. When ctx ends first (the caller
// hung up), the hold stays reached, an act on it is lost, and Arrive returns Abandon with the
// context's cause. The event returned carries its numbers; an edge passes them on for the response
// phase of the same exchange. The edge tells an act that it has carried it out.
func (g *Gate) Arrive(ctx context.Context, e event.Event) (event.Event, Act, error) {
	e, hold, abandoned := g.admit(e)
	if abandoned {
		return e, Act{Kind: Abandon}, nil
	}
	if hold == nil {
		return e, Passing(), nil
	}
	select {
	case <-hold.resolved:
		return hold.event, hold.act, nil
	case <-ctx.Done():
		hold.end(fmt.Errorf("%w: %w", ErrLost, context.Cause(ctx)))
		return e, Act{Kind: Abandon}, context.Cause(ctx)
	}
}

func (g *Gate) admit(e event.Event) (event.Event, *Hold, bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	owner := life{e.Worker, e.Incarnation}
	if e.Kind != event.Exit && (g.closed || g.dead[owner]) {
		return e, nil, true
	}
	g.number(owner, &e)
	var hold *Hold
	if !g.closed {
		hold = g.policy.Decide(e)
	}
	if hold == nil || !hold.late {
		g.record(&e)
	}
	if hold != nil {
		g.held++
		hold.event, hold.arrived = e, g.held
		g.open[hold] = true
		close(hold.reached)
	}
	return e, hold, false
}

// record writes an event into the history.
func (g *Gate) record(e *event.Event) {
	e.Sequence = g.history.count + 1
	g.history.add(*e)
	g.tell(*e)
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// number gives the event its numbers, unless its edge brought those of its request phase along or
// it is idle, which is not counted.
func (g *Gate) number(owner life, e *event.Event) {
	if e.Nth != nil || e.Idle || len(e.Names) == 0 {
		return
	}
	e.Nth = make(event.Numbers, 0, len(e.Names))
	for _, name := range e.Names {
		key := countKey{owner, name, e.Phase}
		g.counts[key]++
		e.Nth = append(e.Nth, event.Number{Name: name, Nth: g.counts[key]})
	}
}

// Resolve lets the event that hold stopped go, with exactly one act. The edge has carried it out
// when the hold's Carried is closed.
func (g *Gate) Resolve(hold *Hold, act Act) error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.open[hold] {
		select {
		case <-hold.reached:
			return fmt.Errorf("%w: %s", ErrResolved, hold.event)
		default:
			return ErrNotReached
		}
	}
	g.resolve(hold, act)
	return nil
}

func (g *Gate) resolve(hold *Hold, act Act) {
	delete(g.open, hold)
	if hold.late {
		g.record(&hold.event)
	}
	hold.act = act
	hold.act.of = hold
	close(hold.resolved)
}

// MarkDead abandons every event of one life of a worker, those held now and those still to come: a
// dead worker's request must not slip through after its kill. Its exit is still recorded.
func (g *Gate) MarkDead(worker string, incarnation int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.dead[life{worker, incarnation}] = true
	for _, hold := range g.heldBy(worker, incarnation) {
		g.resolve(hold, Act{Kind: Abandon})
	}
}

// Holds tells whether an event of one life of a worker is held now, its exit apart.
func (g *Gate) Holds(worker string, incarnation int) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return len(g.heldBy(worker, incarnation)) > 0
}

// ResolveAll lets every held event of one life of a worker go with the same act, and gives their
// holds.
func (g *Gate) ResolveAll(worker string, incarnation int, act Act) []*Hold {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	held := g.heldBy(worker, incarnation)
	for _, hold := range held {
		g.resolve(hold, act)
	}
	return held
}

func (g *Gate) heldBy(worker string, incarnation int) []*Hold {
	var held []*Hold
	for hold := range g.open {
		if hold.event.Worker == worker && hold.event.Incarnation == incarnation &&
			hold.event.Kind != event.Exit {
			held = append(held, hold)
		}
	}
	slices.SortFunc(held, func(a, b *Hold) int { return a.arrived - b.arrived })
	return held
}

// Close abandons every held event and lets no further one through. It is called when the last check
// is done.
func (g *Gate) Close() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.closed = true
	byArrival := func(a, b *Hold) int { return a.arrived - b.arrived }
	for _, hold := range slices.SortedFunc(maps.Keys(g.open), byArrival) {
		g.resolve(hold, Act{Kind: Abandon})
	}
}

// Recorded is how many events the history has.
func (g *Gate) Recorded() int {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.history.count
}

// History is a copy of every event so far, in order.
func (g *Gate) History() []event.Event {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.history.all()
}

// Changed is closed when the next event is recorded. Take it before looking at History, or an event
// between the two is missed.
func (g *Gate) Changed() <-chan struct{} {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return g.changed
}
