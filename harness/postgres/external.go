package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"lostreply/harness/clock"
)

// URLVariable names the environment variable that holds the URL of somebody's server. The caller
// reads it and passes it to External.
const URLVariable = "LOSTREPLY_POSTGRES_URL"

// ExternalServer is somebody's server. Databases are made there under a name that no other run has,
// and dropped by Close; nothing else of it is touched.
type ExternalServer struct {
	*databases

	url     string
	config  *pgx.ConnConfig
	noClock error
	alive   *pgx.Conn // holds the lock that says that this run goes on; nil before it is taken

	mutex sync.Mutex // guards made
	made  []string
}

// CheckURL tells whether a text can name a server. It connects to nothing.
func CheckURL(connString string) error {
	_, err := readURL(connString)
	return err
}

func readURL(connString string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(connString)
	if err != nil { // pgx leaves the password out of what it says
		return nil, fmt.Errorf("no URL of a PostgreSQL server: %w; expected "+
			"postgres://USER:PASSWORD@HOST:PORT/DATABASE, or words such as host=HOST user=USER", err)
	}
	return config, nil
}

var passwordWord = regexp.MustCompile(`(?i)\b(password=)('(?:\\.|[^'])*'|[^\s&]+)`)

// Redacted is a server's URL, or its words, without the password.
func Redacted(connString string) string {
	if location, err := url.Parse(connString); err == nil && location.User != nil {
		if _, has := location.User.Password(); has {
			location.User = url.UserPassword(location.User.Username(), "PASSWORD")
			connString = location.String()
		}
	}
	return passwordWord.ReplaceAllString(connString, "${1}PASSWORD")
}

// External connects to somebody's server by a URL (or key=value string) as libpq and pgx know them,
// whose database has to exist and is only connected to. The role needs CREATEDB, and to be a
// superuser for the movable clock; Capabilities says why not.
func External(ctx context.Context, connString string) (*ExternalServer, error) {
	config, err := readURL(connString)
	if err != nil {
		return nil, err
	}
	run, err := newRunName()
	if err != nil {
		return nil, err
	}
	server := &ExternalServer{url: connString, config: config}
	server.databases = &databases{
		connect: server.connect,
		home:    config.Database,
		prefix:  run.prefix(),
		bases:   map[Clock]string{RealClock: plainBase},
	}
	err = server.announce(ctx, run)
	if err == nil {
		err = server.examine(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("use the PostgreSQL server at %s: %w; correct its URL (--postgres or "+
			"%s), or give none: then a server is started for the run",
			net.JoinHostPort(config.Host, fmt.Sprint(config.Port)),
			errors.Join(err, server.Close(ctx)), URLVariable)
	}
	return server, nil
}

// examine learns what the server and the role can do, and prepares the base of templates with the
// movable clock.
func (e *ExternalServer) examine(ctx context.Context) error {
	conn, err := e.connect(ctx, e.home)
	if err != nil {
		return err
	}
	defer e.keep(conn)
	var number int
	var mayCreate bool
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int,
		rolcreatedb OR rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user`).
		Scan(&number, &mayCreate)
	if err != nil {
		return fmt.Errorf("ask for its version: %w", err)
	}
	e.major = number / 10000
	if e.major < OldestMajor {
		return fmt.Errorf("it is PostgreSQL %d; %d is the oldest that can be used", e.major, OldestMajor)
	}
	if !mayCreate {
		return fmt.Errorf("the role %s may not create databases; grant it with ALTER ROLE … CREATEDB",
			e.config.User)
	}
	base, err := e.CreateTemplate(ctx, "clock", RealClock, clock.Install)
	if errors.Is(err, clock.ErrRefused) {
		e.noClock = err
		return nil
	}
	if err == nil {
		e.bases[MovableClock] = base
	}
	return err
}

func (e *ExternalServer) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	config := e.config.Copy()
	config.Database = database
	return pgx.ConnectConfig(ctx, config)
}

// CreateTemplate makes and loads a database: see Cluster.
func (e *ExternalServer) CreateTemplate(ctx context.Context, name string, kind Clock,
	load Loader) (string, error) {
	if kind == MovableClock && e.noClock != nil {
		return "", fmt.Errorf("create template %s: %w", name, e.noClock)
	}
	return e.remember(e.databases.CreateTemplate(ctx, name, kind, load))
}

// Clone makes a database from a template: see Cluster.
func (e *ExternalServer) Clone(ctx context.Context, template string) (string, error) {
	return e.remember(e.databases.Clone(ctx, template))
}

func (e *ExternalServer) remember(database string, err error) (string, error) {
	if err == nil {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		e.made = append(e.made, database)
	}
	return database, err
}

// Drop removes a database: see Cluster.
func (e *ExternalServer) Drop(ctx context.Context, database string) error {
	if err := e.databases.Drop(ctx, database); err != nil {
		return err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.made = slices.DeleteFunc(e.made, func(name string) bool { return name == database })
	return nil
}

// Close drops every database that was made here and is still there.
func (e *ExternalServer) Close(ctx context.Context) error {
	ctx, cancel := clock.WithDeadline(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	e.mutex.Lock()
	made := slices.Clone(e.made)
	e.mutex.Unlock()
	var failures []error
	for _, database := range made {
		failures = append(failures, e.Drop(ctx, database))
	}
	e.forget()
	if e.alive != nil { // the last: who sees this lock free takes what is left for left over
		failures = append(failures, e.alive.Close(ctx))
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("%w; drop by hand the databases whose names begin with %s", err, e.prefix)
	}
	return nil
}

// ConnString is the URL with another database in it.
func (e *ExternalServer) ConnString(database string) string {
	if !strings.HasPrefix(e.url, "postgres://") && !strings.HasPrefix(e.url, "postgresql://") {
		return e.url + " dbname=" + database // of two, libpq and pgx take the last
	}
	location, err := url.Parse(e.url)
	if err != nil {
		return e.url // pgx has parsed it: can't be
	}
	location.Path, location.RawPath = "/"+database, ""
	query := location.Query()
	query.Del("dbname")
	query.Del("database")
	location.RawQuery = query.Encode()
	return location.String()
}

// Dial opens a connection to the server, over TLS where the URL has it so; where it leaves that to
// the server (libpq's sslmode=prefer, the default), in plain text to a server without TLS.
func (e *ExternalServer) Dial(ctx context.Context) (net.Conn, error) {
	network, address := pgconn.NetworkAddress(e.config.Host, e.config.Port)
	conn, err := e.config.DialFunc(ctx, network, address)
	if err == nil && e.config.TLSConfig != nil {
		conn, err = overTLS(ctx, conn, e.config.TLSConfig, e.plainWillDo())
	}
	if err != nil {
		return nil, fmt.Errorf("connect to the server at %s: %w", address, err)
	}
	return conn, nil
}

// plainWillDo is whether the URL allows a connection without TLS to the same server.
func (e *ExternalServer) plainWillDo() bool {
	return slices.ContainsFunc(e.config.Fallbacks, func(other *pgconn.FallbackConfig) bool {
		return other.TLSConfig == nil && other.Host == e.config.Host && other.Port == e.config.Port
	})
}

// overTLS asks for encryption as a client does before its start-up packet (PostgreSQL's protocol,
// section 55.2.11). A server without it is used as it is where plain text will do.
func overTLS(ctx context.Context, conn net.Conn, config *tls.Config, plainWillDo bool) (net.Conn,
	error) {
	request, err := (&pgproto3.SSLRequest{}).Encode(nil)
	if err == nil {
		_, err = conn.Write(request)
	}
	answer := make([]byte, 1)
	if err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	if err == nil && answer[0] == 'N' && plainWillDo {
		return conn, nil
	}
	if err == nil && answer[0] != 'S' {
		err = errors.New("it does not offer TLS; use sslmode=disable where that is right")
	}
	encrypted := tls.Client(conn, config)
	if err == nil {
		err = encrypted.HandshakeContext(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return encrypted, nil
}

// Capabilities: a server that is somebody's is never crashed, and the clock may be refused.
func (e *ExternalServer) Capabilities() Capabilities { return Capabilities{NoClock: e.noClock} }

// Describe says which server this is, without its password.
func (e *ExternalServer) Describe() string {
	return fmt.Sprintf("PostgreSQL %d at %s as %s", e.major,
		net.JoinHostPort(e.config.Host, fmt.Sprint(e.config.Port)), e.config.User)
}
