package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"lostreply/harness/gate"
)

// connection is one connection of the worker and the one to the server that it was given.
type connection struct {
	listener *Listener
	ctx      context.Context
	cancelIt context.CancelCauseFunc
	backend  atomic.Uint32 // process id, once the server has told it
	client   net.Conn
	server   net.Conn
	lent     *backend // what server is, when it can be given back
	// clientDone is closed when nothing more will be read of the client, serverDone when the
	// server's side came to its end: the backend is gone and its locks are released.
	clientDone, serverDone chan struct{}
	// silent: nothing more goes either way.
	silent   atomic.Bool
	farewell atomic.Pointer[error] // why the worker's side is ended
	// returning: the worker is done with a backend at rest. kept: the backend is another's now.
	returning, kept bool
	mutex           sync.Mutex // guards turns, acts and these; the sockets until the pump runs
	turns           *turns
	// unconfirmed are the acts that are carried out when the worker has its answer.
	unconfirmed []gate.Act
	// asking is held while an answer is the gate's: a worker that gives up meanwhile is heard of
	// when the gate's act has been carried out, or a black hole would have let its end through.
	asking sync.Mutex
}

func newConnection(l *Listener, client net.Conn) *connection {
	c := &connection{listener: l, client: client, turns: newTurns(l.reader),
		clientDone: make(chan struct{}), serverDone: make(chan struct{})}
	c.ctx, c.cancelIt = context.WithCancelCause(l.ctx)
	return c
}

// serve runs a connection to its end.
func (c *connection) serve() {
	defer c.listener.forget(c)
	defer c.cancelIt(nil)
	defer c.confirmNoMore()
	err := c.open()
	if err != nil && c.ctx.Err() == nil && !errors.Is(err, io.EOF) {
		c.listener.trouble(fmt.Errorf("a connection of worker %s to database %s: %w",
			c.listener.config.Worker, c.listener.config.Database, err))
		_, _ = c.client.Write(errorResponse("FATAL", stateOf(err), "lostreply: "+err.Error()))
	}
	_ = c.client.Close()
}

// stateOf is the SQLSTATE for a worker whose connection could not be opened.
func stateOf(err error) string {
	var broken errNotProtocol
	if errors.As(err, &broken) {
		return "08P01"
	}
	return "08006"
}

// open finds out what the client wants, and gives it that.
func (c *connection) open() error {
	release := c.closeOnEnd(c.client)
	client, begun, err := c.listener.greet(c.ctx, c.client)
	release()
	c.mutex.Lock()
	c.client = client
	c.mutex.Unlock()
	if err != nil {
		return err
	}
	if begun.cancels {
		return c.cancel(begun.packet)
	}
	if !c.listener.admits() {
		_, err := client.Write(errorResponse("FATAL", "57P03",
			"lostreply: connections are refused now, as the scenario says"))
		return err
	}
	if err := c.reach(begun); err != nil {
		return err
	}
	c.pump(begun)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.kept {
		_ = c.server.Close()
	}
	return nil
}

// closeOnEnd closes a socket when the listener ends, for the parts of a connection's life in which
// nobody else would. The function it returns undoes that.
func (c *connection) closeOnEnd(socket net.Conn) func() {
	undo := context.AfterFunc(c.ctx, func() { _ = socket.Close() })
	return func() { undo() }
}

// halfClose tells the other side that nothing more will come, as a client's end does.
func halfClose(socket net.Conn) error {
	closer, ok := socket.(interface{ CloseWrite() error })
	if !ok {
		return socket.Close()
	}
	return closer.CloseWrite()
}
