package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// errTerminated is a worker's Terminate. It is not forwarded to a backend that may be kept.
var errTerminated = errors.New("the worker has said that it is done")

// reach finds the connection a backend: a warm one where there can be one, else one of its own,
// whose login the pump carries.
func (c *connection) reach(begun opening) error {
	if c.listener.config.Backends != nil && !begun.replication {
		return c.borrow(begun)
	}
	server, err := c.listener.config.Dial(c.ctx)
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	c.mutex.Lock()
	c.server = server
	c.mutex.Unlock()
	if _, err := server.Write(begun.packet); err != nil {
		return errors.Join(fmt.Errorf("forward the start-up packet: %w", err), server.Close())
	}
	return nil
}

// borrow takes a backend of the warm ones, and tells the worker what the server said to the login.
func (c *connection) borrow(begun opening) error {
	backends := c.listener.config.Backends
	lent, err := backends.take(c.ctx, begun.packet)
	if err != nil {
		return err
	}
	c.mutex.Lock()
	c.server = lent
	c.mutex.Unlock()
	if !lent.warm() {
		return nil
	}
	greeting, pid, err := backends.lend(lent)
	if err != nil {
		return errors.Join(err, lent.Close())
	}
	c.backend.Store(binary.BigEndian.Uint32(pid))
	c.mutex.Lock()
	c.lent = lent
	c.turns.loggedIn()
	c.mutex.Unlock()
	_, _ = c.client.Write(greeting) // a worker that has gone is heard of at the next read
	return nil
}

// doneWith is called at the end of the worker's side: when its backend may be kept, the answers'
// side is woken, which alone reads of it. That happens once: the listener's end and the gate's act
// may both find the worker gone, and by the second time the backend may be another's.
func (c *connection) doneWith(err error) bool {
	if c.lent == nil || err != io.EOF && err != errTerminated {
		return false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.returning {
		return true
	}
	if len(c.turns.queue) > 0 {
		return false
	}
	c.returning = true
	_ = c.lent.SetReadDeadline(past)
	return true
}

// giveBack keeps the backend of a worker that is done with it, once it is as clean as after its
// login, or else sees it to its end: by then its locks are released. It tells whether the worker
// was done with it.
func (c *connection) giveBack(answers *intake) bool {
	if c.lent == nil {
		return false
	}
	c.mutex.Lock()
	returning, status := c.returning, c.turns.status
	c.mutex.Unlock()
	backends := c.listener.config.Backends
	if !returning {
		backends.returned(c.lent)
		return false
	}

	if answers.empty() && c.lent.clean(status) == nil {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.kept = backends.keep(c.lent)
		if c.kept {
			return true
		}
	}
	backends.returned(c.lent)
	_ = c.lent.SetDeadline(time.Time{})
	_ = halfClose(c.lent)
	_, _ = io.Copy(io.Discard, c.lent)
	return true
}
