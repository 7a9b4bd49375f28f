package wire

import (
	"errors"
	"fmt"
	"io"

	"lostreply/harness/event"
	"lostreply/harness/gate"
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
	if broken := c.farewell.Load(); broken != nil {
		_, _ = c.client.Write(errorResponse("FATAL", stateOf(*broken), "lostreply: "+(*broken).Error()))
	}
	if !c.silent.Load() {
		_ = c.client.Close()
	}
	<-c.clientDone
}

// arrive brings a turn to the gate, and waits there while it is held.
func (c *connection) arrive(h happening) (gate.Act, error) {
	config := &c.listener.config
	e := event.Event{
		Worker: config.Worker, Incarnation: config.Incarnation, Kind: event.Turn, Phase: h.phase,
		Names: h.names, Label: h.label, Detail: h.detail, Idle: h.idle,
		Effect: h.effect,
	}
	if config.Database != "" {
		e.Detail = join(config.Database, h.detail)
	}
	_, act, err := config.Gate.Arrive(c.ctx, e)
	return act, err
}

// observe shows a turn's statements to whoever wants to see them.
func (c *connection) observe(h happening, spoken []*script) {
	observe := c.listener.config.Observe
	if observe == nil {
		return
	}
	var statements []Statement
	for _, script := range spoken {
		for _, own := range script.statements {
			statements = append(statements, own.Statement)
		}
	}
	observe(h.names, statements)
}

// watchForEnd lets a silenced connection go when the listener closes; the others end by their
// worker's end.
func (c *connection) watchForEnd() func() {
	watching, ended := make(chan struct{}), make(chan struct{})
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

// leave ends a connection that is silent: the server hears that its client is gone, or its backend
// is given back.
func (c *connection) leave() {
	_ = c.client.SetReadDeadline(past)
	if !c.doneWith(io.EOF) {
		_ = halfClose(c.server)
	}
}

// cut closes both sockets at once.
func (c *connection) cut() {
	c.cancelIt(ErrClosed)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_ = c.client.Close()
	if c.server != nil && !c.kept {
		_ = c.server.Close()
	}
}

// lingers tells whether the worker's side is gone, and the server's is not. A backend that is being
// cleaned does not linger: it waits for no lock.
func (c *connection) lingers() bool {
	c.mutex.Lock()
	returning := c.returning
	c.mutex.Unlock()
	if returning {
		return false
	}
	select {
	case <-c.serverDone:
		return false
	default:
	}
	select {
	case <-c.clientDone:
		return true
	default:
		return c.silent.Load()
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

// isOurs tells what is no one's end: bytes that are not the protocol, and the harness's own
// trouble.
func isOurs(err error) bool {
	var broken errNotProtocol
	var trouble errSpill
	return errors.As(err, &broken) || errors.As(err, &trouble)
}

// complain keeps what is no one's end. The worker is told so before its connection ends.
func (c *connection) complain(whose string, err error) {
	if !isOurs(err) {
		return
	}
	c.listener.trouble(fmt.Errorf("%s, worker %s, database %s: %w", whose,
		c.listener.config.Worker, c.listener.config.Database, err))
	c.farewell.Store(&err)
}

// ended takes every failure to read for the other side's end: a killed process resets its
// connections as often as it ends them.
func ended(err error) error {
	if err == nil {
		return nil // before trouble is there to be allocated, on every read
	}
	var trouble errSpill
	if !errors.As(err, &trouble) {
		return io.EOF
	}
	return err
}
