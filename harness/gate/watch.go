package gate

import "lostreply/harness/event"

// watch waits for an event.
type watch struct {
	match func(event.Event) bool
	came  chan struct{}
}

// Watch returns a channel that is closed when the next event that matches is recorded. It is closed
// before the event's edge hears anything of the gate, so that whatever follows from the event finds
// it closed. Match is called under the gate's lock and must not block.
func (g *Gate) Watch(match func(event.Event) bool) <-chan struct{} {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	came := make(chan struct{})
	g.watches = append(g.watches, watch{match: match, came: came})
	return came
}

// tell closes the channels of those that waited for the event.
func (g *Gate) tell(e event.Event) {
	waiting := g.watches[:0]
	for _, each := range g.watches {
		if each.match(e) {
			close(each.came)
		} else {
			waiting = append(waiting, each)
		}
	}
	g.watches = waiting
}
