package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/postgres"
	"lostreply/harness/scenario"
	"lostreply/harness/wire"
)

// Database is one database of one scenario.
type Database struct {
	// Name is the system's name for it.
	Name string

	inServer string            // the server's name for it
	own      *postgres.Server  // not nil when the server is the scenario's alone
	standby  *postgres.Standby // not nil while there is one
	drop     func(ctx context.Context) error
	backends *wire.Backends // nil when each connection has a backend of its own

	mutex  sync.Mutex // guards what follows
	server postgres.Cluster
	idle   []*pgx.Conn // the harness's own
	// restorer makes the database blank again and serves nobody else, so that what it has prepared
	// stays; nil before it is first needed.
	restorer *pgx.Conn
}

// Databases gives a scenario its databases, each a fresh clone. One whose server the
// scenario does something to has that server for itself.
func (l *Lab) Databases(ctx context.Context, s *scenario.Scenario) ([]*Database, error) {
	var databases []*Database
	for _, name := range s.Under.Databases.Names() {
		provide := l.sharedDatabase
		if s.NeedsServerFor(name) {
			provide = l.ownDatabase
		}
		database, err := provide(ctx, s, name)
		if err != nil {
			for _, made := range databases {
				err = errors.Join(err, made.Drop(ctx))
			}
			return nil, err
		}
		databases = append(databases, database)
	}
	return databases, nil
}

func (l *Lab) sharedDatabase(
	ctx context.Context, s *scenario.Scenario, name string,
) (*Database, error) {
	shelf, err := l.shelf(s, name).get(ctx)
	if err != nil {
		return nil, err
	}
	database, err := shelf.take(ctx, name)
	if err != nil {
		return nil, err
	}
	database.drop = func(ctx context.Context) error {
		if l.options.Keep {
			l.keepNote(fmt.Sprintf("%s %s: psql '%s'", s.Name(), name, database.Direct()))
			err := database.closeAll(ctx)
			if somebodys, is := database.cluster().(*postgres.ExternalServer); is {
				err = errors.Join(err, somebodys.Keep(ctx, database.inServer))
			}
			return err
		}
		return shelf.giveBack(ctx, database)
	}
	return database, nil
}

func (l *Lab) ownDatabase(
	ctx context.Context, s *scenario.Scenario, name string,
) (*Database, error) {
	if l.options.PostgresURL != "" {
		return nil, errors.New("the step `database` crashes servers, and this one is not ours: " +
			"run the scenario without --postgres")
	}
	server, err := l.startServer(ctx)
	if err != nil {
		return nil, err
	}
	called := templateName(1, s.Under.Name.Value, name)
	load := func(ctx context.Context, conn *pgx.Conn) error {
		return l.fill(ctx, server, conn, s, name)
	}
	inServer, err := server.Create(ctx, called, clockOf(s), load)
	if err != nil {
		err = fmt.Errorf("database %s of system %s: %w", name, s.Under.Name.Value, err)
		return nil, errors.Join(err, server.Close(ctx))
	}
	made := &Database{
		Name: name, inServer: inServer, server: server, own: server, drop: server.Close,
	}
	if s.HasStandby(name) {
		if err := made.addStandby(ctx); err != nil {
			return nil, errors.Join(err, server.Close(ctx))
		}
	}
	return made, nil
}

// cluster is the server that the database is on at this moment.
func (d *Database) cluster() postgres.Cluster {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.server
}

// Dial opens a raw connection to the server, for a worker's proxy.
func (d *Database) Dial(ctx context.Context) (net.Conn, error) { return d.cluster().Dial(ctx) }

// Backends are the database's warm backends; nil when each connection is to have its own.
func (d *Database) Backends() *wire.Backends { return d.backends }

// Terminate ends a backend that waits for a lock: it does not notice its client's end by itself.
func (d *Database) Terminate(ctx context.Context, backend uint32) error {
	connection, err := d.Connect(ctx)
	if err != nil {
		return fmt.Errorf("end backend %d: %w", backend, err)
	}
	_, err = connection.Exec(ctx, wire.TerminateSQL, int32(backend))
	return errors.Join(err, d.Release(ctx, connection))
}

// Fields are the role, the password and the database's name in its server.
func (d *Database) Fields() (user, password, name string) {
	parsed, err := url.Parse(d.cluster().ConnString(d.inServer))
	if err != nil || parsed.User == nil {
		return "", "", d.inServer
	}
	password, _ = parsed.User.Password()
	return parsed.User.Username(), password, d.inServer
}

// URL is the database's URL at the address of a worker's listener.
func (d *Database) URL(host string, port int) string {
	user, password, name := d.Fields()
	login := url.User(user)
	if password != "" {
		login = url.UserPassword(user, password)
	}
	address := url.URL{
		Scheme: "postgres", User: login, Host: net.JoinHostPort(host, strconv.Itoa(port)),
		Path: "/" + name, RawQuery: "sslmode=disable",
	}
	return address.String()
}

// Direct is how a person connects, past every proxy.
func (d *Database) Direct() string { return d.cluster().ConnString(d.inServer) }

// Drop gives the database back.
func (d *Database) Drop(ctx context.Context) error { return d.drop(ctx) }
