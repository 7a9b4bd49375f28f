package wire

import (
	"fmt"

	"lostreply/harness/gate"
)

// actOnRequest does what the gate decided about a turn that the server has not seen.
func (c *connection) actOnRequest(act gate.Act, requests *intake) error {
	switch act.Kind {
	case gate.Abandon:
		c.abandon()
	case gate.BlackHole:
		c.blackHole()
	case gate.Sever:
		c.severRequest()
	case gate.Fail:
		return c.failRequest(act.SQLState, requests)
	default:
		return fmt.Errorf("the gate decided on an act that the wire does not know: %q", act.Kind)
	}
	return errSilent
}

// actOnAnswer does what the gate decided about a turn that the server is done with.
func (c *connection) actOnAnswer(act gate.Act, answers *intake) error {
	switch act.Kind {
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
