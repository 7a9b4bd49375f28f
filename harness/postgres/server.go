package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
)

// startLimit bounds a start that never becomes ready, stopLimit one step of a stop. They only bound
// failure.
const (
	startLimit = 60 * time.Second
	stopLimit  = 10 * time.Second
)

// superuser owns everything on a server that is started here. Logins are trusted: whoever reaches
// the private socket is this user already.
const superuser = "postgres"

// serverPort names the socket file and nothing else: the server does not listen on TCP.
const serverPort = 5432

// StartOptions say where a server runs.
type StartOptions struct {
	// Base is the directory that holds the directories of runs. Default: RunBase.
	Base string
}

// Server is a PostgreSQL server that runs as this process's own child, with data and sockets in a
// private directory. It ends when this process does, however that ends.
type Server struct {
	*databases

	binaries Binaries
	who      identity
	dir      runDir

	mutex sync.Mutex // guards process
	// process is the postmaster, or nil when it was never started or has been collected.
	process *child
}

// Start starts a server on a fresh copy of the prepared data directory and returns when it accepts
// connections. Close ends it and removes everything.
func Start(ctx context.Context, binaries Binaries, options StartOptions) (*Server, error) {
	base := options.Base
	if base == "" {
		var err error
		if base, err = RunBase(); err != nil {
			return nil, err
		}
	}
	if err := adoptOrphans(); err != nil {
		return nil, err
	}
	dir, err := newRunDir(ctx, base)
	if err != nil {
		return nil, err
	}
	early := copyEarly(binaries, dir)
	who, binaries, err := settleIdentity(ctx, binaries)
	if copied, failure := early.end(binaries, dir); err == nil && !copied {
		if err = failure; err == nil {
			err = copyPrepared(ctx, binaries, who, base, dir)
		}
	}
	if err != nil {
		return nil, errors.Join(err, dir.remove())
	}
	server := &Server{binaries: binaries, who: who, dir: dir}
	server.databases = server.newDatabases()
	if err := server.launch(ctx); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", errors.Join(err, server.Close(ctx)))
	}
	return server, nil
}

// copyPrepared copies the prepared data directory, which is made first when there is none.
func copyPrepared(ctx context.Context, binaries Binaries, who identity, base string,
	dir runDir) error {
	prepared, err := preparedCluster(ctx, binaries, who, base)
	if err != nil {
		return err
	}
	return copyTree(prepared, dir.data())
}

func (s *Server) newDatabases() *databases {
	return &databases{
		connect:  s.connect,
		home:     maintenance,
		major:    s.binaries.Major,
		fileCopy: true,
		bases:    map[Clock]string{MovableClock: clockBase, RealClock: plainBase},
	}
}

// launch starts the postmaster on the data directory and waits until it accepts connections.
func (s *Server) launch(ctx context.Context) error {
	ctx, cancel := clock.WithDeadline(ctx, startLimit)
	defer cancel()
	for _, path := range []string{s.dir.data(), s.dir.sockets()} {
		if err := errors.Join(os.Chmod(path, 0o700), s.who.own(path)); err != nil {
			return fmt.Errorf("prepare %s: %w", path, err)
		}
	}
	if err := forgetReusedPid(s.dir.data()); err != nil {
		return err
	}
	return clock.Until(ctx, func(ctx context.Context) (bool, error) {
		process, err := spawn(s.command(), s.dir.log())
		if err != nil {
			return false, err
		}
		s.mutex.Lock()
		s.process = process
		s.mutex.Unlock()
		err = s.awaitReady(ctx, process)
		if err != nil && process.hasExited() && stillInUse(process.lastLines()) {
			return false, nil // of a server killed just now; it is free in a moment
		}
		return err == nil, err
	})
}

func (s *Server) command() *exec.Cmd {
	command := exec.Command(filepath.Join(s.binaries.Dir, "postgres"), "-D", s.dir.data(),
		"-c", "unix_socket_directories="+s.dir.sockets(),
		"-c", fmt.Sprintf("port=%d", serverPort))
	command.Env = serverEnvironment()
	command.Dir = s.dir.path
	// SIGQUIT is PostgreSQL's immediate shutdown: the postmaster takes every backend with it.
	command.SysProcAttr = s.who.attributes(syscall.SIGQUIT)
	return command
}

// awaitReady waits until the server accepts a connection, or has exited.
func (s *Server) awaitReady(ctx context.Context, process *child) error {
	var last error
	err := clock.Until(ctx, func(ctx context.Context) (bool, error) {
		if process.hasExited() {
			return false, fmt.Errorf("postgres, run as %s, exited (%w); %s", s.who.name, process.err,
				process.lastLines())
		}
		var conn *pgx.Conn
		if conn, last = s.connect(ctx, maintenance); last != nil {
			return false, nil
		}
		s.keep(conn)
		return true, nil
	})
	if errors.Is(err, clock.ErrDeadline) {
		return fmt.Errorf("postgres accepts no connection: %w (%w); %s", err, last, process.lastLines())
	}
	return err
}

func stillInUse(log string) bool {
	return strings.Contains(log, "pre-existing shared memory block") ||
		strings.Contains(log, "lock file \"postmaster.pid\" already exists")
}

func (s *Server) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.ConnString(database))
}

// Create makes a database of the clock asked for and has load fill it: CreateTemplate for one that
// is used itself, and not copied. It returns the database's name.
func (s *Server) Create(ctx context.Context, name string, kind Clock, load Loader) (string, error) {
	database, err := s.create(ctx, name, kind, load)
	if err != nil {
		return "", fmt.Errorf("create database %s: %w", name, err)
	}
	return database, nil
}

// Pid is the postmaster's process id, or 0 when the server is down.
func (s *Server) Pid() int {
	if process := s.running(); process != nil {
		return process.pid
	}
	return 0
}

func (s *Server) running() *child {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.process == nil || s.process.hasExited() {
		return nil
	}
	return s.process
}

// SocketDir is the directory of the server's Unix socket, for a driver's host parameter.
func (s *Server) SocketDir() string { return s.dir.sockets() }

// Port is the number in the name of the server's socket. The server does not listen on TCP.
func (s *Server) Port() int { return serverPort }

// User is the superuser that every connection string names.
func (s *Server) User() string { return superuser }

// LogPath is the file that holds the server's log, for as long as the server is not closed.
func (s *Server) LogPath() string { return s.dir.log() }

// ConnString is a URL for a database of this server, through its Unix socket.
func (s *Server) ConnString(database string) string {
	location := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir.sockets()}, "port": {fmt.Sprint(serverPort)},
			"sslmode": {"disable"}}.Encode()}
	return location.String()
}

// Dial opens a connection to the server's socket, for a proxy.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", filepath.Join(s.dir.sockets(), socketName))
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	return conn, nil
}

// Capabilities: everything, on a server of our own.
func (s *Server) Capabilities() Capabilities { return Capabilities{Crash: true} }

// Describe says which server this is, for people.
func (s *Server) Describe() string {
	return fmt.Sprintf("%s, run as %s", describe(s.binaries), s.who.name)
}
