package wire

import "io"

// severRequest ends the connection before the server saw the turn. The backend goes first, so that
// the worker, when it comes again, finds its locks released; it hears of the end in the same way at
// either phase.
func (c *connection) severRequest() {
	atRest := c.atRest()
	c.silent.Store(true)
	_ = halfClose(c.server)
	if atRest {
		select {
		case <-c.serverDone:
		case <-c.ctx.Done():
		}
	}
	c.hangUp()
}

// severAnswer ends the connection when the server is done and the worker was told nothing.
func (c *connection) severAnswer() {
	c.silent.Store(true)
	_ = halfClose(c.server)
	if c.atRest() {
		_, _ = io.Copy(io.Discard, c.server)
	}
	c.hangUp()
}

// hangUp ends the connection for the worker: an end of file, not a reset, however much of what it
// sent has not been read.
func (c *connection) hangUp() {
	_ = halfClose(c.client)
	if c.ctx.Err() != nil {
		c.leave()
	}
}

// atRest tells whether the server has nothing left to answer.
func (c *connection) atRest() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.turns.queue) == 0
}
