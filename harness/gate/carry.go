package gate

import (
	"errors"
	"fmt"
)

// The life of an act is inject, confirm, lift: Resolve decides it, the edge carries it out and says
// so, and only then does the step that asked for it return. Without the second the next step would
// race the edge.

// ErrLost is why an act was not carried out: what it was to be done on has ended meanwhile.
var ErrLost = errors.New("nothing was left to act on")

// Carried tells that the act has been carried out: its effect is a fact that the next step finds.
// The edge calls it once; the act of an event that nothing held needs no call.
func (a Act) Carried() { a.end(nil) }

// Lost tells that the act could not be carried out, and why. After Carried it does nothing.
func (a Act) Lost(why error) { a.end(fmt.Errorf("%w: %w", ErrLost, why)) }

func (a Act) end(failure error) {
	if a.of != nil {
		a.of.end(failure)
	}
}

func (h *Hold) end(failure error) {
	h.once.Do(func() {
		h.failure = failure
		close(h.carried)
	})
}

// Carried is closed when the act on the held event has been carried out, or can't be any more.
func (h *Hold) Carried() <-chan struct{} { return h.carried }

// Failure is why the act was not carried out, an ErrLost; nil when it was. Valid once Carried is
// closed.
func (h *Hold) Failure() error { return h.failure }
