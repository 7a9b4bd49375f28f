package gate

import (
	"fmt"

	"lostreply/harness/event"
)

// Breakpoints is the policy of a scenario: each breakpoint stops the one event at its address, and
// all are armed before any worker starts, so that a fault never races the step that names it.
type Breakpoints struct {
	holds map[event.Address]*Hold
}

// NewBreakpoints makes a policy that stops nothing yet.
func NewBreakpoints() *Breakpoints {
	return &Breakpoints{holds: map[event.Address]*Hold{}}
}

// Arm adds a breakpoint. It must be called before the gate sees its first event. Two breakpoints at
// one address are refused: which of them stops the event would be nobody's choice.
func (b *Breakpoints) Arm(address event.Address) (*Hold, error) {
	if b.holds[address] != nil {
		return nil, fmt.Errorf("two holds at one address: %s", address)
	}
	hold := NewHold()
	b.holds[address] = hold
	return hold, nil
}

// Decide stops an event whose address was armed. An event that answers to several armed names is
// stopped once, by the first of its names; the holds at its other names have missed it. What is
// idle is not counted, so it has no address.
func (b *Breakpoints) Decide(e event.Event) *Hold {
	if e.Idle || len(b.holds) == 0 {
		return nil
	}
	var stopping *Hold
	for _, address := range e.Addresses() {
		hold := b.holds[address]
		if hold == nil {
			continue
		}
		delete(b.holds, address)
		if stopping == nil {
			stopping = hold
		} else {
			close(hold.missed)
		}
	}
	return stopping
}
