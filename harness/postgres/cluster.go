package postgres

import (
	"context"
	"net"

	"github.com/jackc/pgx/v5"
)

// Clock says which clock the databases made from a template have.
type Clock int

const (
	// MovableClock: the clock of harness/clock is installed before the schema is loaded.
	MovableClock Clock = iota
	// RealClock: the database is as PostgreSQL makes it.
	RealClock
)

// Capabilities are what a cluster can do besides holding databases.
type Capabilities struct {
	// Crash: the server is ours to kill and restart.
	Crash bool
	// NoClock is why databases here can't have the movable clock; nil when they can.
	NoClock error
}

// Cluster is a PostgreSQL server that databases are made on: one of our own (Server) or
// somebody's (External). Its methods may be called at the same time from many goroutines.
type Cluster interface {
	// CreateTemplate makes a database of the clock asked for, has load put schema and first rows
	// into it, and closes it to all connections so that Clone can copy it. It returns the
	// database's name, which is the given one, made unique where others share the server.
	CreateTemplate(ctx context.Context, name string, clock Clock, load Loader) (string, error)
	// Clone makes a new database from a template and returns its name.
	Clone(ctx context.Context, template string) (string, error)
	// Drop removes a database with all connections to it. One that is gone is no error.
	Drop(ctx context.Context, database string) error
	// ConnString is a URL for a database.
	ConnString(database string) string
	// Dial opens a raw connection to the server, for a proxy: the start-up packet comes next.
	Dial(ctx context.Context) (net.Conn, error)
	// Capabilities are what else the cluster can do.
	Capabilities() Capabilities
	// Describe says which server this is, for people.
	Describe() string
	// Close removes what was made, and ends a server of our own. It works with an ended ctx too.
	Close(ctx context.Context) error
}

// Loader fills a new database through conn. Its name is conn.Config().Database, for programs that
// set up a database themselves; connections of theirs must have ended when it returns.
type Loader func(ctx context.Context, conn *pgx.Conn) error
