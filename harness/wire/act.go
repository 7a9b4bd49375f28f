package wire

import (
	"errors"
	"fmt"

	"lostreply/harness/gate"
)

// actOnRequest carries out what the gate decided about a turn that the server has not seen, and
// tells the gate when that is done. Only fail is done later: when the worker has its error.
func (c *connection) actOnRequest(act gate.Act, requests *intake) error {
	if act.Kind == gate.Fail {
		return c.failRequest(act, requests)
	}
	defer act.Carried()
	switch act.Kind {
	case gate.Pass:
		return c.releaseRequest(requests)
	case gate.Abandon:
		c.abandon()
	case gate.BlackHole:
		c.blackHole()
	case gate.Sever:
		c.severRequest()
	default:
		return fmt.Errorf("the gate decided on an act that the wire does not know: %q", act.Kind)
	}
	return errSilent
}

// actOnAnswer carries out what the gate decided about a turn that the server is done with, and
// tells the gate when that is done.
func (c *connection) actOnAnswer(act gate.Act, answers *intake) error {
	defer act.Carried()
	switch act.Kind {
	case gate.Pass:
		return c.releaseAnswer(answers)
	case gate.Abandon:
		c.abandon()
	case gate.BlackHole:
		c.blackHole()
	case gate.Sever:
		c.severAnswer()
	case gate.Fail:
		return c.failAnswer(act.SQLState, answers)
	default:
		return fmt.Errorf("the gate decided on an act that the wire does not know: %q", act.Kind)
	}
	return errSilent
}

// errConnectionEnded is why an act was lost that had been begun.
var errConnectionEnded = errors.New("its connection ended first")

// confirmLater keeps an act until the worker has been told.
func (c *connection) confirmLater(act gate.Act) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.unconfirmed = append(c.unconfirmed, act)
}

// confirm tells that the first of the acts that were kept has been carried out: answers come in the
// order of their turns.
func (c *connection) confirm() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.unconfirmed) > 0 {
		c.unconfirmed[0].Carried()
		c.unconfirmed = c.unconfirmed[1:]
	}
}

// confirmNoMore gives up the acts that are still kept when the connection has ended.
func (c *connection) confirmNoMore() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, act := range c.unconfirmed {
		act.Lost(errConnectionEnded)
	}
	c.unconfirmed = nil
}
