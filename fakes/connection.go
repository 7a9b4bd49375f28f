package fakes

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

// connection is one connection of a worker. It notices when net/http answers by itself, which it
// does to what is no HTTP: the worker broke the contract, and the journal must say so.
type connection struct {
	*net.TCPConn
	life *life
	// answering is true while a handler of ours, or the flush after it, may write.
	answering atomic.Bool
	// ended is true once reading has met the end of the connection, or its reset.
	ended   atomic.Bool
	refused atomic.Bool
}

// connectionKey finds the connection in a request's context.
type connectionKey struct{}

// Accept is the listener's, for net/http; it returns the next connection of the worker.
func (l *life) Accept() (net.Conn, error) {
	for {
		tcp, err := l.listener.AcceptTCP()
		if err != nil {
			return nil, err
		}
		if conn := l.admit(tcp); conn != nil {
			return conn, nil
		}
		_ = tcp.Close()
	}
}

// admit takes a connection in, unless it is a probe or comes too late.
func (l *life) admit(tcp *net.TCPConn) *connection {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	from := tcp.RemoteAddr().String()
	if seen := l.probes[from]; seen != nil {
		delete(l.probes, from)
		close(seen)
		return nil
	}
	if l.closed {
		return nil
	}
	conn := &connection{TCPConn: tcp, life: l}
	l.open[conn] = true
	return conn
}

// Close is the listener's, for net/http.
func (l *life) Close() error { return l.listener.Close() }

// Addr is the listener's, for net/http.
func (l *life) Addr() net.Addr { return l.listener.Addr() }

// connState follows a connection: it is between two calls when idle, and gone when closed.
func (l *life) connState(conn net.Conn, state http.ConnState) {
	ours := conn.(*connection)
	switch state {
	case http.StateIdle:
		ours.answering.Store(false)
	case http.StateClosed:
		l.mutex.Lock()
		delete(l.open, ours)
		close(l.left)
		l.left = make(chan struct{})
		l.mutex.Unlock()
	}
}

// Read passes on what the worker sent, and notes its end.
func (c *connection) Read(data []byte) (int, error) {
	n, err := c.TCPConn.Read(data)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.ended.Store(true)
	}
	return n, err
}

// Write passes on what the server writes. What it writes while no call is being answered is its
// refusal of something that it could not read as HTTP.
func (c *connection) Write(data []byte) (int, error) {
	if !c.answering.Load() && !c.refused.Swap(true) {
		line, _, _ := bytes.Cut(data, []byte("\r\n"))
		c.life.channel.refuse(c.life, string(line), c.ended.Load())
	}
	return c.TCPConn.Write(data)
}
