package wire

import (
	"encoding/binary"
	"io"
	"time"
)

// pump carries both directions until the server's side has come to its end.
func (c *connection) pump(begun opening) {
	if begun.replication {
		c.pumpRaw()
		return
	}
	defer c.watchForEnd()()
	go c.pumpRequests()
	c.pumpAnswers()
	if !c.silent.Load() {
		_ = c.client.Close()
	}
	<-c.clientDone
}

// watchForEnd lets a silenced connection go when the listener closes; the others end by their
// worker's end.
func (c *connection) watchForEnd() func() {
	watching := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-c.ctx.Done():
			if c.silent.Load() {
				c.leave()
			}
		case <-watching:
		}
	}()
	return func() { close(watching); <-ended }
}

// silence keeps the connection open and says nothing more on it, either way.
func (c *connection) silence() {
	c.silent.Store(true)
	if c.ctx.Err() != nil {
		c.leave()
	}
}

// leave ends a connection that is silent: the server hears that its client is gone.
func (c *connection) leave() {
	_ = c.client.SetReadDeadline(time.Unix(1, 0))
	_ = halfClose(c.server)
}

// cut closes both sockets at once.
func (c *connection) cut() {
	c.cancelIt(ErrClosed)
	_ = c.client.Close()
	if c.server != nil {
		_ = c.server.Close()
	}
}

// lingers tells whether the worker's side is gone and the server's is not.
func (c *connection) lingers() bool {
	select {
	case <-c.clientDone:
	default:
		return c.silent.Load()
	}
	select {
	case <-c.serverDone:
		return false
	default:
		return true
	}
}

func (c *connection) pumpRequests() {
	defer close(c.clientDone)
	err := c.forwardRequests(newIntake(c.client, func(byte) bool { return false }))
	_ = err
	if !c.silent.Load() {
		_ = halfClose(c.server)
	}
}

func (c *connection) forwardRequests(requests *intake) error {
	for {
		_, ok, err := requests.next()
		if err != nil {
			return err
		}
		if ok {
			requests.pass()
			continue
		}
		if err := requests.flush(c.server); err != nil {
			return err
		}
		if err := requests.fill(); err != nil {
			return err
		}
	}
}

func (c *connection) pumpAnswers() {
	defer close(c.serverDone)
	answers := newIntake(c.server, func(kind byte) bool { return kind == 'K' })
	if err := c.forwardAnswers(answers); err != nil && err != io.EOF {
		_ = halfClose(c.server)
		_, _ = io.Copy(io.Discard, c.server)
	}
}

func (c *connection) forwardAnswers(answers *intake) error {
	for {
		answer, ok, err := answers.next()
		if err != nil {
			return err
		}
		if ok {
			if answer.kind == 'K' && len(answer.body) >= 4 {
				c.backend.Store(binary.BigEndian.Uint32(answer.body))
			}
			answers.pass()
			continue
		}
		if err := answers.flush(c.client); err != nil {
			return err
		}
		if err := answers.fill(); err != nil {
			return err
		}
	}
}

// pumpRaw copies both directions without looking, for replication connections.
func (c *connection) pumpRaw() {
	go func() {
		defer close(c.clientDone)
		_, _ = io.Copy(c.server, c.client)
		_ = halfClose(c.server)
	}()
	_, _ = io.Copy(c.client, c.server)
	close(c.serverDone)
	_ = c.client.Close()
	<-c.clientDone
}
