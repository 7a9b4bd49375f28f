package wire

import (
	"errors"
	"io"
)

// requestsNeed are the messages of a worker whose body is looked at.
func requestsNeed(kind byte) bool {
	switch kind {
	case 'P', 'B', 'D', 'E', 'C', 'Q':
		return true
	}
	return false
}

// pumpRequests carries what the worker sends, until its end.
func (c *connection) pumpRequests() {
	defer close(c.clientDone)
	requests := newIntake(c.client, requestsNeed)
	defer requests.spill.empty()
	err := c.forwardRequests(requests)
	c.complain("from the worker", err)
	c.asking.Lock()
	silent := c.silent.Load()
	c.asking.Unlock()
	if silent {
		_, _ = io.Copy(io.Discard, c.client)
		return
	}
	if !c.doneWith(err) {
		_ = halfClose(c.server)
	}
	if err != io.EOF {
		_, _ = io.Copy(io.Discard, c.client)
	}
}

// errSilent ends a direction that has nothing more to carry.
var errSilent = errors.New("the connection has been silenced")

func (c *connection) forwardRequests(requests *intake) error {
	for {
		request, ok, err := requests.next()
		switch {
		case err != nil:
			_ = requests.flush(c.server)
			return err
		case ok:
			err = c.carryRequest(requests, request)
		default:
			if err = requests.flush(c.server); err == nil {
				err = ended(requests.fill())
			}
			if err == nil && requests.incomplete() && c.tooLarge(requests) {
				err = c.carryOverflow(requests)
			}
		}
		if err == nil && c.silent.Load() {
			err = errSilent
		}
		if err == errTerminated {
			_ = requests.flush(c.server)
		}
		if err != nil {
			return err
		}
	}
}

func (c *connection) carryRequest(requests *intake, request frame) error {
	if request.kind == 'X' && c.lent != nil {
		return errTerminated
	}
	c.mutex.Lock()
	judged := c.turns.request(request)
	c.mutex.Unlock()
	if judged == keep && c.tooLarge(requests) {
		return c.carryOverflow(requests)
	}
	return c.doWithRequest(requests, judged)
}

// carryOverflow gives up waiting for the rest of a part that is too large to withhold.
func (c *connection) carryOverflow(requests *intake) error {
	c.mutex.Lock()
	judged := c.turns.overflow()
	c.mutex.Unlock()
	return c.doWithRequest(requests, judged)
}

func (c *connection) doWithRequest(requests *intake, judged verdict) error {
	switch judged {
	case pass:
		requests.pass()
	case ask:
		return c.askRequest(requests)
	}
	return nil
}

func (c *connection) tooLarge(intake *intake) bool {
	return intake.withheld() > c.listener.config.WithheldBound
}

// askRequest is a turn at its request phase: all of it has arrived, and the server has none of it.
func (c *connection) askRequest(requests *intake) error {
	if err := requests.flush(c.server); err != nil {
		return err
	}
	for requests.incomplete() && !c.tooLarge(requests) {
		if err := requests.fill(); err != nil {
			return err
		}
	}
	c.mutex.Lock()
	happening := c.turns.asked(requests.incomplete())
	spoken := c.turns.part.spoken
	undecided := c.turns.undecided
	times := c.turns.times
	c.turns.undecided, c.turns.times = nil, nil
	c.mutex.Unlock()
	c.listener.undecide(undecided)
	c.observe(happening, spoken)
	if len(times) > 0 && c.listener.config.Times != nil {
		c.listener.config.Times(times)
	}
	act, err := c.arrive(happening)
	if err != nil && c.ctx.Err() == nil {
		return err
	}
	return c.actOnRequest(act, requests)
}
