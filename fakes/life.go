package fakes

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// maxHeaderBytes bounds a request line and its headers; net/http refuses more with 431.
const maxHeaderBytes = 64 << 10

type lifeKey struct {
	worker      string
	incarnation int
}

// life is the listener of one life of one worker.
type life struct {
	channel     *Channel
	worker      string
	incarnation int
	listener    *net.TCPListener
	server      *http.Server
	ctx         context.Context
	cancel      context.CancelCauseFunc

	mutex  sync.Mutex
	open   map[*connection]bool
	probes map[string]chan struct{}
	// left is closed when a connection ends, and replaced.
	left   chan struct{}
	closed bool
	served chan struct{}
}

// Listen opens a listener for one life of one worker on a free port of 127.0.0.1 and returns its
// URL, without a path. Closing it ends the calls of that life, abandons those that are held, and
// returns when their handlers are done; so close it only when the life is over, after Settle.
func (c *Channel) Listen(worker string, incarnation int) (string, func(), error) {
	key := lifeKey{worker, incarnation}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.closed {
		return "", nil, fmt.Errorf("channel %s: listen for %s.%d: %w",
			c.name, worker, incarnation, ErrClosed)
	}
	if c.lives[key] != nil {
		return "", nil, fmt.Errorf("channel %s: %s.%d has a listener already",
			c.name, worker, incarnation)
	}
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return "", nil, fmt.Errorf("channel %s: listen for %s.%d on 127.0.0.1: %w",
			c.name, worker, incarnation, err)
	}
	life := newLife(c, key, listener)
	c.lives[key] = life
	go life.serve()
	return "http://" + listener.Addr().String(), life.close, nil
}

func newLife(channel *Channel, key lifeKey, listener *net.TCPListener) *life {
	ctx, cancel := context.WithCancelCause(context.Background())
	l := &life{
		channel: channel, worker: key.worker, incarnation: key.incarnation, listener: listener,
		ctx: ctx, cancel: cancel, open: map[*connection]bool{},
		probes: map[string]chan struct{}{}, left: make(chan struct{}), served: make(chan struct{}),
	}
	l.server = &http.Server{
		Handler:        l,
		MaxHeaderBytes: maxHeaderBytes,
		BaseContext:    func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		},
		ConnState: l.connState,
		ErrorLog:  log.New(io.Discard, "", 0),
		// OPTIONS * is a call like any other, and the journal must have it.
		DisableGeneralOptionsHandler: true,
	}
	return l
}

func (l *life) serve() {
	defer close(l.served)
	// Serve ends with ErrServerClosed, or with the listener's own error, after which the worker
	// can't connect and says so itself.
	_ = l.server.Serve(l)
}

// close ends the life; a second call waits like the first.
func (l *life) close() {
	l.mutex.Lock()
	l.closed = true
	open := make([]*connection, 0, len(l.open))
	for conn := range l.open {
		open = append(open, conn)
	}
	l.mutex.Unlock()
	l.cancel(fmt.Errorf("listener of %s.%d: %w", l.worker, l.incarnation, ErrClosed))
	_ = l.server.Close()
	// net/http forgets a connection that is accepted while it closes; none is forgotten here.
	for _, conn := range open {
		_ = conn.Close()
	}
	<-l.served
	_ = l.waitUntilEmpty(context.Background())
}

// settle waits for everything that was sent before now. The queue of connections that the kernel
// has completed and nobody has accepted is first in, first out, so a connection of our own, seen
// by Accept, proves that all earlier ones have been accepted.
func (l *life) settle(ctx context.Context) error {
	seen, err := l.probe(ctx)
	if err != nil {
		return err
	}
	select {
	case <-seen:
	case <-l.served:
	case <-ctx.Done():
		return fmt.Errorf("connections wait to be accepted: %w", context.Cause(ctx))
	}
	return l.waitUntilEmpty(ctx)
}

// probe makes the connection that settle looks for. The lock keeps Accept from looking at it before
// its address is known.
func (l *life) probe(ctx context.Context) (<-chan struct{}, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	seen := make(chan struct{})
	if l.closed {
		close(seen)
		return seen, nil
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp4", l.listener.Addr().String())
	if err != nil {
		return nil, fmt.Errorf("probe the listener: %w", err)
	}
	l.probes[conn.LocalAddr().String()] = seen
	_ = conn.Close()
	return seen, nil
}

func (l *life) waitUntilEmpty(ctx context.Context) error {
	for {
		l.mutex.Lock()
		open, left := len(l.open), l.left
		l.mutex.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-left:
		case <-ctx.Done():
			return fmt.Errorf("%d of its connections are still open (a process of it lives, "+
				"or a call is held): %w", open, context.Cause(ctx))
		}
	}
}
