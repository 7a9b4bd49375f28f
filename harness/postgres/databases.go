package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lostreply/harness/clock"
)

// maintenance is the database of a server of our own that databases are made and dropped from:
// neither can be done from within.
const maintenance = "postgres"

// idleConnections is how many connections for this are kept for later use.
const idleConnections = 4

// settleLimit bounds the making or dropping of one database, and the wait for the last connection
// to a template to be gone.
const settleLimit = 60 * time.Second

// databases makes and drops the databases of one server, whoever owns it.
type databases struct {
	connect  func(ctx context.Context, database string) (*pgx.Conn, error)
	home     string // the database that databases are made and dropped from
	major    int
	fileCopy bool             // copy files (quick, but forces a checkpoint on the whole server)
	prefix   string           // begins every name
	bases    map[Clock]string // what a template is made from

	mutex  sync.Mutex // guards what follows
	idle   []*pgx.Conn
	number int
}

// keep puts a connection to home aside for later use.
func (d *databases) keep(conn *pgx.Conn) {
	d.mutex.Lock()
	if len(d.idle) < idleConnections && !conn.IsClosed() {
		d.idle = append(d.idle, conn)
		conn = nil
	}
	d.mutex.Unlock()
	if conn != nil {
		_ = conn.Close(context.Background())
	}
}

// forget drops the kept connections: their server is gone, or is to go.
func (d *databases) forget() {
	d.mutex.Lock()
	idle := d.idle
	d.idle = nil
	d.mutex.Unlock()
	for _, conn := range idle {
		closing, cancel := clock.WithDeadline(context.Background(), time.Second)
		_ = conn.Close(closing)
		cancel()
	}
}

// execute runs statements, each in its own transaction, from home.
// Statements are not interrupted: a CREATE DATABASE that was given up may yet have made one, which
// nobody would drop.
func (d *databases) execute(ctx context.Context, statements ...string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := clock.WithDeadline(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	d.mutex.Lock()
	var conn *pgx.Conn
	if last := len(d.idle) - 1; last >= 0 {
		conn, d.idle = d.idle[last], d.idle[:last]
	}
	d.mutex.Unlock()
	if conn == nil {
		var err error
		if conn, err = d.connect(ctx, d.home); err != nil {
			return err
		}
	}
	defer d.keep(conn)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// CreateTemplate makes a database, loads it and closes it to connections: see Cluster.
func (d *databases) CreateTemplate(ctx context.Context, name string, kind Clock,
	load Loader) (string, error) {
	template, err := d.create(ctx, name, kind, load)
	if err != nil {
		return "", fmt.Errorf("create template %s: %w", name, err)
	}
	err = d.execute(ctx, "ALTER DATABASE "+quoted(template)+" ALLOW_CONNECTIONS false")
	if err == nil {
		err = d.settle(ctx, template)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("create template %s: %w", name, err),
			d.Drop(context.WithoutCancel(ctx), template))
	}
	return template, nil
}

// create makes a database of the clock asked for, and has load fill it.
func (d *databases) create(ctx context.Context, name string, kind Clock,
	load Loader) (string, error) {
	base, has := d.bases[kind]
	if !has {
		return "", clock.ErrRefused
	}
	database := d.prefix + name
	if err := d.copy(ctx, database, base); err != nil {
		return "", explain(err)
	}
	if err := d.load(ctx, database, load); err != nil {
		return "", errors.Join(err, d.Drop(context.WithoutCancel(ctx), database))
	}
	return database, nil
}

func (d *databases) load(ctx context.Context, template string, load Loader) error {
	conn, err := d.connect(ctx, template)
	if err != nil {
		return err
	}
	return errors.Join(load(ctx, conn), conn.Close(context.WithoutCancel(ctx)))
}

// settle waits until the last backend of a template is gone. A client's close is not yet its end,
// and CREATE DATABASE looks only ten times a second whether its template is free.
func (d *databases) settle(ctx context.Context, template string) error {
	ctx, cancel := clock.WithDeadline(ctx, settleLimit)
	defer cancel()
	conn, err := d.connect(ctx, d.home)
	if err != nil {
		return err
	}
	defer d.keep(conn)
	var left []string
	err = clock.Until(ctx, func(ctx context.Context) (bool, error) {
		rows, err := conn.Query(ctx, `SELECT coalesce(nullif(application_name, ''), usename, 'pid '||pid)
			FROM pg_catalog.pg_stat_activity WHERE datname = $1`, template)
		if err != nil {
			return false, err
		}
		left, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return len(left) == 0, err
	})
	if errors.Is(err, clock.ErrDeadline) {
		return fmt.Errorf("still connected to it: %v: %w; end what has set it up", left, err)
	}
	return err
}

func (d *databases) copy(ctx context.Context, database, template string) error {
	statement := "CREATE DATABASE " + quoted(database) + " TEMPLATE " + quoted(template)
	if d.fileCopy && d.major >= 15 { // before, copying files was the only way
		statement += " STRATEGY file_copy"
	}
	return d.execute(ctx, statement)
}

// Clone makes a new database from a template: see Cluster.
func (d *databases) Clone(ctx context.Context, template string) (string, error) {
	d.mutex.Lock()
	d.number++
	database := fmt.Sprintf("%s_%d", template, d.number)
	d.mutex.Unlock()
	if err := d.copy(ctx, database, template); err != nil {
		return "", fmt.Errorf("clone template %s: %w", template, err)
	}
	return database, nil
}

// Drop removes a database with all connections to it: see Cluster.
func (d *databases) Drop(ctx context.Context, database string) error {
	err := d.execute(ctx, "DROP DATABASE IF EXISTS "+quoted(database)+" WITH (FORCE)")
	if err != nil {
		return fmt.Errorf("drop database %s: %w", database, explain(err))
	}
	return nil
}

// explain adds what the reader can do.
func explain(err error) error {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) && refusal.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("%w; the role needs CREATEDB", err)
	}
	return err
}
