package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"

	"lostreply/harness/gate"
)

// Config is what a listener is for and what it stands between.
type Config struct {
	// Worker and Incarnation say whose turns come through.
	Worker      string
	Incarnation int
	// Database is the system's name of the database, for the history; may be empty.
	Database string
	// Dial connects to the server, to its unix socket by preference. The connection must be able
	// to half-close (CloseWrite), as those of package net are.
	Dial func(context.Context) (net.Conn, error)
	// Backends are the warm backends of the same server and database; nil when each connection is
	// to have a backend of its own.
	Backends *Backends
	// Gate decides about every turn.
	Gate *gate.Gate
	// Namer knows the named events of the system that are of this database; may be nil. `commit` is
	// known without it.
	Namer Namer
	// Ignore are statements that a driver or pool pings with, like "select 1". Case, white space
	// and a semicolon at the end make no difference. They are no turns.
	Ignore []string
	// Observe is shown the statements of every turn at its request, before the gate is asked, and
	// the names that they answer to; may be nil. Several connections call it at once.
	Observe func(names []string, statements []Statement)
	// Times is shown the points in time that a turn binds, once WatchTimes was called; may be nil.
	// Several connections call it at once.
	Times func([]BoundTime)
	// WithheldBound is how many bytes of one request or answer are withheld at most, most of them
	// in a temporary file; 0 means 256 MiB. A larger request is asked about before all of it has
	// arrived, and of a larger answer only what says how it ended is withheld.
	WithheldBound int64
	// Authority answers clients that demand TLS; nil refuses it politely.
	Authority *Authority
	// Terminate ends the backend if it waits for a lock, and does nothing otherwise (TerminateSQL
	// on a connection of the harness). Close calls it, again and again, for busy backends of a
	// worker that has gone: a backend that waits for a lock does not notice its client's end.
	Terminate func(ctx context.Context, backendPID uint32) error
}

// TerminateSQL is the statement for Config.Terminate; $1 is the backend's pid.
const TerminateSQL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE pid = $1 AND wait_event_type = 'Lock'`

// defaultWithheldBound is the default of Config.WithheldBound, bytes.
const defaultWithheldBound = 256 << 20

// Listener is where one life of a worker reaches one of its databases.
type Listener struct {
	config    Config
	reader    *reader
	socket    net.Listener
	ctx       context.Context
	stop      context.CancelCauseFunc
	serving   sync.WaitGroup
	mutex     sync.Mutex
	came      int
	refusals  []*Refusal
	closing   bool
	open      map[*connection]bool
	troubles  []error
	undecided []string
}

// ErrClosed is the cause with which everything that still waits in a listener ends at its Close.
var ErrClosed = errors.New("the worker's database listener was closed")

// Listen opens a listener on a free port of 127.0.0.1. It serves until Close.
func Listen(ctx context.Context, config Config) (*Listener, error) {
	if config.Gate == nil || config.Dial == nil {
		return nil, errors.New("listen for a worker's connections: Config lacks Gate or Dial")
	}
	var listening net.ListenConfig
	socket, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for connections of worker %s to database %s: %w",
			config.Worker, config.Database, err)
	}
	if config.WithheldBound <= 0 {
		config.WithheldBound = defaultWithheldBound
	}
	l := &Listener{config: config, socket: socket, open: map[*connection]bool{},
		reader: newReader(config.Namer, config.Ignore)}
	l.ctx, l.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	l.serving.Go(l.accept)
	return l, nil
}

// Addr is the host and port that the worker is given.
func (l *Listener) Addr() string { return l.socket.Addr().String() }

// Connections is how many connections ever came through, counted when they asked for a database
// (a driver may try with TLS first and come again). A worker with none has bypassed the proxy.
func (l *Listener) Connections() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.came
}

// Backends are the process ids of the backends that serve the worker now, sorted.
func (l *Listener) Backends() []uint32 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var pids []uint32
	for c := range l.open {
		if pid := c.backend.Load(); pid != 0 {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// Troubles are the harness's own troubles (the server could not be reached) and broken protocol, in
// the order in which they came. They are no failures of the worker.
func (l *Listener) Troubles() []error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.troubles)
}

// Undecided says, for each statement that may or may not have been a named event, why that could
// not be told. With any, a hold that was not reached is inconclusive for this reason.
func (l *Listener) Undecided() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.undecided)
}

func (l *Listener) undecide(reasons []string) {
	if len(reasons) == 0 {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, reason := range reasons {
		if len(l.undecided) < undecidedKept && !slices.Contains(l.undecided, reason) {
			l.undecided = append(l.undecided, reason)
		}
	}
}

func (l *Listener) trouble(err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.troubles = append(l.troubles, err)
}

func (l *Listener) accept() {
	for {
		client, err := l.socket.Accept()
		if err != nil {
			return
		}
		c := newConnection(l, client)
		l.mutex.Lock()
		if l.closing {
			l.mutex.Unlock()
			_ = client.Close()
			continue
		}
		l.open[c] = true
		l.mutex.Unlock()
		l.serving.Go(c.serve)
	}
}

func (l *Listener) forget(c *connection) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.open, c)
}
