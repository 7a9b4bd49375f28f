package lab

import (
	"context"
	"errors"
	"sync"

	"lostreply/harness/clock"
	"lostreply/harness/postgres"
	"lostreply/harness/scenario"
	"lostreply/harness/wire"
)

// shelf holds the databases of one template that no scenario uses now. One that comes back is made
// blank again (no rows, sequences and clock at their beginning) and keeps its warm backends; one of
// which more than rows was changed, or whose template is not blank itself, is dropped.
type shelf struct {
	server postgres.Cluster
	clones *postgres.Clones
	blank  *postgres.Blank // nil: each is used once
	clock  string

	mutex sync.Mutex
	rest  []*Database
}

// take is a database that nobody uses: one from the shelf, or a new clone.
func (s *shelf) take(ctx context.Context, name string) (*Database, error) {
	s.mutex.Lock()
	if last := len(s.rest) - 1; last >= 0 {
		database := s.rest[last]
		s.rest = s.rest[:last]
		s.mutex.Unlock()
		return database, nil
	}
	s.mutex.Unlock()
	if s.blank == nil {
		inServer, err := s.clones.Take(ctx)
		if err != nil {
			return nil, err
		}
		return &Database{Name: name, inServer: inServer, server: s.server}, nil
	}
	inServer, err := s.clones.TakeOne(ctx)
	if err != nil {
		return nil, err
	}
	database := &Database{Name: name, inServer: inServer, server: s.server}
	database.backends = wire.NewBackends(database.Dial)
	return database, nil
}

// giveBack takes a used database. It is put on the shelf when it could be made blank.
func (s *shelf) giveBack(ctx context.Context, database *Database) error {
	if s.blank != nil && s.restore(ctx, database) == nil {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.rest = append(s.rest, database)
		return nil
	}
	err := database.closeAll(ctx)
	s.clones.Drop(database.inServer)
	return err
}

func (s *shelf) restore(ctx context.Context, database *Database) error {
	connection, err := database.connectRestorer(ctx)
	if err != nil {
		return err
	}
	if err := s.blank.Restore(ctx, connection); err != nil {
		return err
	}
	if s.clock == scenario.ClockReal {
		return nil
	}
	return clock.Reset(ctx, connection, clock.Mode(s.clock))
}

// forget lets go of what the shelf holds when its server is gone, and everything with it: each of
// its backends would otherwise take its time to end in an orderly way.
func (s *shelf) forget(ctx context.Context) { _ = s.close(ctx) }

// close ends what the shelf holds. Nobody uses one of its databases any more.
func (s *shelf) close(ctx context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var failures []error
	for _, database := range s.rest {
		failures = append(failures, database.closeAll(ctx))
	}
	s.rest = nil
	return errors.Join(append(failures, s.clones.Close())...)
}
