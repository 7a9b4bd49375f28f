package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
)

// externalPrefix begins the name of every database that is made on somebody's server. The run's
// name follows; what a run that was killed left there is found by it.
const externalPrefix = "lostreply_r"

// runName is what a run's databases on somebody's server are called by: a number that no other run
// has, nor ever will.
type runName [5]byte

func newRunName() (runName, error) {
	var run runName
	if _, err := rand.Read(run[:]); err != nil {
		return run, fmt.Errorf("choose a name for this run's databases: %w", err)
	}
	return run, nil
}

func (r runName) prefix() string { return externalPrefix + hex.EncodeToString(r[:]) + "_" }

// lockSpace is the upper part of the advisory locks of runs: the letters "ltr".
const lockSpace int64 = 0x6c7472

// lock is the key of the advisory lock that the run holds for as long as it lives.
func (r runName) lock() int64 {
	key := lockSpace
	for _, each := range r {
		key = key<<8 | int64(each)
	}
	return key
}

var runDatabase = regexp.MustCompile("^" + externalPrefix + "([0-9a-f]{10})_")

// runOf is the run that a database belongs to, by its name.
func runOf(database string) (runName, bool) {
	var run runName
	match := runDatabase.FindStringSubmatch(database)
	if match == nil {
		return run, false
	}
	_, err := hex.Decode(run[:], []byte(match[1]))
	return run, err == nil
}

// announce takes the lock that tells other runs, on this machine or another, that this one lives.
// It is taken before any database is made, in a session of its own that does nothing else, and ends
// with the process, however that ends.
func (e *ExternalServer) announce(ctx context.Context, run runName) error {
	conn, err := e.connect(ctx, e.home)
	if err != nil {
		return err
	}
	e.alive = conn
	_, err = conn.Exec(ctx, "SET idle_session_timeout = 0")
	if err == nil {
		_, err = conn.Exec(ctx, "SELECT pg_catalog.pg_advisory_lock($1)", run.lock())
	}
	if err != nil {
		return fmt.Errorf("take the lock that guards this run's databases: %w", err)
	}
	return nil
}

// keptComment marks a database that was left on purpose.
const keptComment = "kept by lostreply --keep: drop it when you are done"

// Keep leaves a database on the server when this is closed, and marks it, so that no run takes it
// for left over.
func (e *ExternalServer) Keep(ctx context.Context, database string) error {
	err := e.execute(ctx, "COMMENT ON DATABASE "+quoted(database)+" IS '"+keptComment+"'")
	if err != nil {
		return fmt.Errorf("keep database %s: %w", database, err)
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.made = slices.DeleteFunc(e.made, func(name string) bool { return name == database })
	return nil
}

// SweepLeftovers drops databases that runs left here which could not clean up after themselves, and
// returns a line for each. A database is left over when the lock of its run is free and nobody is
// connected to it; it is dropped without force, so that a mistake about that costs nothing. Others'
// databases, and those of --keep, are not touched.
func (e *ExternalServer) SweepLeftovers(ctx context.Context) []string {
	ctx, cancel := clock.WithDeadline(ctx, settleLimit)
	defer cancel()
	left, err := e.leftovers(ctx)
	if err != nil {
		return []string{fmt.Sprintf("look for databases that earlier runs left: %v", err)}
	}
	var swept []string
	for _, database := range left {
		if err := e.execute(ctx, "DROP DATABASE IF EXISTS "+quoted(database)); err != nil {
			swept = append(swept, fmt.Sprintf("left over and not to be dropped: database %s: %v",
				database, err))
			continue
		}
		swept = append(swept, fmt.Sprintf("swept database %s, which a run that was ended left",
			database))
	}
	return swept
}

// leftovers lists databases of runs that have ended. Their names are read before the locks: a run
// takes its lock before it makes a database, so one that is listed and not locked has ended.
func (e *ExternalServer) leftovers(ctx context.Context) (left []string, err error) {
	conn, err := e.connect(ctx, e.home)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	databases, err := column[string](ctx, conn, `SELECT datname::text FROM pg_catalog.pg_database
		WHERE pg_catalog.starts_with(datname::text, $1)
		AND pg_catalog.pg_has_role(current_user, datdba, 'USAGE')
		AND pg_catalog.shobj_description(oid, 'pg_database') IS DISTINCT FROM $2
		ORDER BY datname`, externalPrefix, keptComment)
	if err != nil {
		return nil, err
	}
	// Advisory locks are of one database, but the view shows them all: runs may have come by another.
	locks, err := column[int64](ctx, conn, `SELECT classid::bigint << 32 | objid::bigint
		FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND objsubid = 1`)
	if err != nil {
		return nil, err
	}
	used, err := column[string](ctx, conn, `SELECT DISTINCT datname::text
		FROM pg_catalog.pg_stat_activity WHERE datname IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	busy := map[runName]bool{}
	for _, database := range used {
		if run, is := runOf(database); is {
			busy[run] = true
		}
	}
	for _, database := range databases {
		run, is := runOf(database)
		if is && !busy[run] && !slices.Contains(locks, run.lock()) {
			left = append(left, database)
		}
	}
	return left, nil
}

func column[T any](ctx context.Context, conn *pgx.Conn, sql string, arguments ...any) ([]T, error) {
	rows, err := conn.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}
