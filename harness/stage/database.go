package stage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/fact"
	"lostreply/harness/lab"
	"lostreply/harness/strict"
)

// Database is a database of the system, which the loader has made sure of.
func (s *Stage) Database(named strict.Text) *lab.Database {
	return s.databases[s.system.DatabaseOf(named)]
}

// Control is the harness's own connection to a database. It is opened anew after the server was
// crashed.
func (s *Stage) Control(ctx context.Context, named strict.Text) (*pgx.Conn, error) {
	name := s.system.DatabaseOf(named)
	return s.open(ctx, s.controls, name, name)
}

// Session is a named session of the harness, open to the end of the scenario.
func (s *Stage) Session(
	ctx context.Context, named strict.Text, session string,
) (*pgx.Conn, error) {
	name := s.system.DatabaseOf(named)
	return s.open(ctx, s.sessions, name+"/"+session, name)
}

func (s *Stage) open(
	ctx context.Context, among map[string]*pgx.Conn, key, database string,
) (*pgx.Conn, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if connection := among[key]; connection != nil && !connection.IsClosed() {
		return connection, nil
	}
	connection, err := s.databases[database].Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to database %s: %w", database, err)
	}
	among[key] = connection
	return connection, nil
}

// Disconnect closes the harness's own connections to a database whose server is about to go: each
// is opened anew when it is next needed. A named session loses what it held, as anyone's does.
func (s *Stage) Disconnect(ctx context.Context, named strict.Text) error {
	name := s.system.DatabaseOf(named)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var failures []error
	for _, connections := range []map[string]*pgx.Conn{s.sessions, s.controls} {
		for _, key := range sortedKeys(connections) {
			if key == name || strings.HasPrefix(key, name+"/") {
				failures = append(failures, connections[key].Close(ctx))
				delete(connections, key)
			}
		}
	}
	return errors.Join(failures...)
}

// freshSession names the sessions that a check within a deadline reads in while a snapshot is open
// on the control connection.
const freshSession = "(fresh)"

// InSnapshot calls judge while Reader reads from one snapshot of each database, so that facts that
// are read one after the other agree even while workers go on.
func (s *Stage) InSnapshot(ctx context.Context, judge func() error) error {
	s.snapshot = map[string]fact.Reader{}
	defer func() { s.snapshot = nil }()
	return s.openSnapshots(ctx, sortedKeys(s.databases), judge)
}

func (s *Stage) openSnapshots(ctx context.Context, names []string, judge func() error) error {
	if len(names) == 0 {
		return judge()
	}
	connection, err := s.Control(ctx, strict.Text{Value: names[0]})
	if err != nil {
		return err
	}
	return fact.Snapshot(ctx, connection, func(reader fact.Reader) error {
		s.snapshot[names[0]] = reader
		return s.openSnapshots(ctx, names[1:], judge)
	})
}

// Reader reads facts of a database: in the snapshot when there is one, else (or when fresh is asked
// for) as it is now.
func (s *Stage) Reader(
	ctx context.Context, database strict.Text, fresh bool,
) (fact.Reader, error) {
	reader := s.snapshot[s.system.DatabaseOf(database)]
	switch {
	case reader == nil:
		return s.Control(ctx, database)
	case fresh:
		return s.Session(ctx, database, freshSession)
	default:
		return reader, nil
	}
}

// Path is a file of the system as it can be opened.
func (s *Stage) Path(relative string) string { return s.system.Path(relative) }

func (s *Stage) closeConnections(ctx context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var failures []error
	for _, connections := range []map[string]*pgx.Conn{s.sessions, s.controls} {
		for _, key := range sortedKeys(connections) {
			database := s.databases[strings.SplitN(key, "/", 2)[0]]
			if !connections[key].IsClosed() {
				failures = append(failures, database.Release(ctx, connections[key]))
			}
		}
	}
	return errors.Join(failures...)
}
