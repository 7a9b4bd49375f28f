package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lostreply/harness/clock"
)

// standbyLimit bounds each wait for a standby: to have what its primary has, to hear of it no more,
// to be a primary itself. It only bounds failure.
const standbyLimit = stopLimit

// Standby is a server that follows another by streaming replication, until it is cut off or takes
// over. Its methods are for one goroutine at a time.
type Standby struct {
	*Server
	primary *Server
	cutOff  bool
}

// AddStandby gives a server a standby, in a directory of its own. The server is stopped, copied and
// started again (a cold copy, see "File System Level Backup" of the PostgreSQL manual), so nobody
// may be using it. The caller closes both.
func (s *Server) AddStandby(ctx context.Context) (*Standby, error) {
	dir, err := newRunDir(ctx, filepath.Dir(s.dir.path))
	if err != nil {
		return nil, err
	}
	standby := &Standby{primary: s, Server: &Server{binaries: s.binaries, who: s.who, dir: dir}}
	standby.databases = standby.newDatabases()
	if err := standby.begin(ctx); err != nil {
		return nil, fmt.Errorf("start a standby: %w", errors.Join(err, standby.Close(ctx)))
	}
	return standby, nil
}

func (s *Standby) begin(ctx context.Context) error {
	if err := s.primary.Stop(ctx); err != nil {
		return err
	}
	if err := copyTree(s.primary.dir.data(), s.dir.data()); err != nil {
		return err
	}
	if err := s.follow(); err != nil {
		return err
	}
	if err := s.primary.Restart(ctx); err != nil {
		return err
	}
	if err := s.launch(ctx); err != nil {
		return err
	}
	return s.until(ctx, "SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')")
}

// follow makes the copied data directory that of a standby. The signal file and the setting are
// those of PostgreSQL 12 and later.
func (s *Standby) follow() error {
	signal := filepath.Join(s.dir.data(), "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		return fmt.Errorf("mark the standby's directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(s.dir.data(), "postgresql.conf"),
		os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("configure the standby: %w", err)
	}
	_, err = fmt.Fprintf(file, "\nprimary_conninfo = 'host=''%s'' port=%d user=%s'\n"+
		"wal_retrieve_retry_interval = 100ms\n", // else 5 s, after a restart of the primary
		s.primary.dir.sockets(), serverPort, superuser)
	if err = errors.Join(err, file.Close(), s.who.own(s.dir.data())); err != nil {
		return fmt.Errorf("configure the standby: %w", err)
	}
	return nil
}

// CatchUp waits until the standby has everything that the primary has acknowledged by now, as
// synchronous replication would have seen to. One that is cut off has not, and is left so.
func (s *Standby) CatchUp(ctx context.Context) error {
	if s.cutOff {
		return nil
	}
	var written string
	err := ask(ctx, s.primary, "SELECT pg_current_wal_flush_lsn()::text", &written)
	if err == nil {
		err = s.until(ctx, "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", written)
	}
	if err != nil {
		return fmt.Errorf("wait for the standby to have what its primary has: %w", err)
	}
	return nil
}

// CutOff lets the standby have what its primary has acknowledged by now, and nothing later. It
// returns when the replication has ended.
func (s *Standby) CutOff(ctx context.Context) error {
	if err := s.CatchUp(ctx); err != nil {
		return err
	}
	err := s.exec(ctx, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
	if err == nil {
		err = s.until(ctx, `SELECT current_setting('primary_conninfo') = ''
			AND NOT EXISTS (SELECT FROM pg_stat_wal_receiver)`)
	}
	if err != nil {
		return fmt.Errorf("cut the standby off: %w", err)
	}
	s.cutOff = true
	return nil
}

// Promote crashes the primary, if it still runs, and lets the standby take over: it returns when
// that accepts writes. It has what the primary had acknowledged, up to CutOff.
func (s *Standby) Promote(ctx context.Context) error {
	if s.primary.Pid() != 0 {
		if err := s.CatchUp(ctx); err != nil {
			return err
		}
		if err := s.primary.Crash(ctx); err != nil {
			return err
		}
	}
	err := s.exec(ctx, "SELECT pg_promote(false)")
	if err == nil {
		err = s.until(ctx, "SELECT NOT pg_is_in_recovery()")
	}
	if err != nil {
		return fmt.Errorf("promote the standby: %w", err)
	}
	return nil
}

// until waits for a condition on the standby.
func (s *Standby) until(ctx context.Context, condition string, arguments ...any) error {
	ctx, cancel := clock.WithDeadline(ctx, standbyLimit)
	defer cancel()
	err := clock.Until(ctx, func(ctx context.Context) (holds bool, err error) {
		err = ask(ctx, s.Server, condition, &holds, arguments...)
		return holds, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", condition, err)
	}
	return nil
}

func (s *Standby) exec(ctx context.Context, statements ...string) error {
	conn, err := s.connect(ctx, maintenance)
	if err != nil {
		return err
	}
	defer s.keep(conn)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// ask reads one value of a server.
func ask(ctx context.Context, of *Server, query string, into any, arguments ...any) error {
	conn, err := of.connect(ctx, maintenance)
	if err != nil {
		return err
	}
	defer of.keep(conn)
	return conn.QueryRow(ctx, query, arguments...).Scan(into)
}
