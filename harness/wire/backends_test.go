package wire_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/postgres/postgrestest"
	"lostreply/harness/wire"
)

// life is the next life of a worker, on the same warm backends.
func (b *bench) life(t *testing.T, backends *wire.Backends, policy gate.Policy) *bench {
	t.Helper()
	next := open(t, policy, func(c *wire.Config) { c.Backends = backends })
	next.harness, next.database = b.harness, b.database
	return next
}

func (b *bench) end(t *testing.T) {
	t.Helper()
	b.gate.MarkDead("a", 1)
	if err := b.Close(b.ctx); err != nil {
		t.Fatal(err)
	}
}

// fill leaves in a session everything that a worker can leave.
var fill = []string{
	"set application_name = 'left'", "set client_encoding = 'LATIN1'", "set timezone = 'Asia/Tokyo'",
	"create temp table left_behind (n int)", "listen left_behind", "select pg_advisory_lock(7)",
	"prepare left_behind as select 1", "select nextval('ids')",
	"declare left_behind cursor with hold for select 1", "set session characteristics as " +
		"transaction isolation level serializable", "create role left_behind", "set role left_behind",
}

// found looks for it: each must give the same before and after.
var found = []string{
	"show application_name", "show client_encoding", "show timezone", "show transaction_isolation",
	"select coalesce(to_regclass('left_behind')::text, 'none')",
	"select coalesce(string_agg(c, ','), 'none') from pg_listening_channels() c",
	"select count(*)::text from pg_prepared_statements", "select count(*)::text from pg_cursors",
	"select count(*)::text from pg_locks where locktype = 'advisory'", "select current_user::text",
}

func look(t *testing.T, b *bench, worker *pgx.Conn) string {
	t.Helper()
	var all []string
	for _, sql := range found {
		var value string
		err := worker.QueryRow(b.ctx, sql, pgx.QueryExecModeSimpleProtocol).Scan(&value)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		all = append(all, sql+": "+value)
	}
	if err := worker.QueryRow(b.ctx, "select lastval()").Scan(new(int)); sqlState(err) != "55000" {
		t.Errorf("the session knows a sequence's last value: %v", err)
	}
	return strings.Join(all, "\n")
}

func TestTheNextWorkerFindsAWarmBackendAsANewOne(t *testing.T) {
	for _, ends := range []string{"says so", "dies in a transaction", "dies in a failed one"} {
		t.Run(ends, func(t *testing.T) {
			b := open(t, nil)
			backends := wire.NewBackends(postgrestest.Start(t).Dial)
			b.exec(t, b.harness, "create sequence ids")
			t.Cleanup(func() { b.exec(t, b.harness, "drop role if exists left_behind") })
			first := b.life(t, backends, nil)
			worker := first.connect(t)
			fresh, pid, zone := look(t, first, worker), worker.PgConn().PID(),
				worker.PgConn().ParameterStatus("TimeZone")
			for _, sql := range fill {
				b.exec(t, worker, sql, pgx.QueryExecModeSimpleProtocol)
			}
			switch ends {
			case "says so":
				_ = worker.Close(b.ctx)
			case "dies in a failed one":
				b.exec(t, worker, "begin")
				if _, err := worker.Exec(b.ctx, "no SQL"); err == nil {
					t.Fatal("no SQL was understood")
				}
				_ = worker.PgConn().Conn().Close()
			default:
				b.exec(t, worker, "begin")
				b.exec(t, worker, "select pg_advisory_xact_lock(8)")
				_ = worker.PgConn().Conn().Close()
			}
			first.end(t)
			second := b.life(t, backends, nil)
			worker = second.connect(t)
			if worker.PgConn().PID() != pid {
				t.Fatal("the backend was not kept")
			}
			if again := look(t, second, worker); again != fresh {
				t.Errorf("a fresh backend:\n%s\nthe kept one:\n%s", fresh, again)
			}
			if now := worker.PgConn().ParameterStatus("TimeZone"); now != zone {
				t.Errorf("the worker is told the time zone %s, not %s", now, zone)
			}
		})
	}
}

// A turn of a warm backend is a turn like another: counted, held, and its login is none.
func TestTheTurnsOfAWarmBackendAreCounted(t *testing.T) {
	b := open(t, nil)
	backends := wire.NewBackends(postgrestest.Start(t).Dial)
	seen := ""
	for range 3 {
		hold := gate.NewHold()
		life := b.life(t, backends, holds{addressOf("commit", 1, event.Response): hold})
		worker := life.connect(t)
		done := make(chan error, 1)
		go func() {
			_, err := worker.Exec(context.Background(), "begin; create table if not exists t (n int); "+
				"commit", pgx.QueryExecModeSimpleProtocol)
			done <- err
		}()
		life.reached(t, hold)
		life.resolve(t, hold, gate.Passing())
		if err := result(t, life, done); err != nil {
			t.Fatal(err)
		}
		if seen != "" && life.events() != seen {
			t.Errorf("the events of a cold backend:\n%s\nand of a warm one:\n%s", seen, life.events())
		}
		seen = life.events()
		_ = worker.Close(b.ctx)
		life.end(t)
	}
}

// What must not come back: a backend at work when its worker died, a severed one, one that somebody
// ended while nobody used it, and one of another start-up packet.
func TestABackendThatIsNotAtRestIsNotKept(t *testing.T) {
	b := open(t, nil)
	backends := wire.NewBackends(postgrestest.Start(t).Dial)
	seen := pids{}
	seen.note(t, blockedAndKilled(t, b, backends), "waited for a lock when its worker died")
	seen.note(t, severed(t, b, backends), "was severed")

	life := b.life(t, backends, nil)
	worker := life.connect(t)
	pid := worker.PgConn().PID()
	seen.note(t, pid, "was terminated while nobody used it")
	_ = worker.Close(b.ctx)
	life.end(t)
	b.exec(t, b.harness, "select pg_terminate_backend($1)", int32(pid))

	life = b.life(t, backends, nil)
	worker = life.connect(t)
	kept := worker.PgConn().PID()
	seen.note(t, kept, "was kept")
	_ = worker.Close(b.ctx)
	life.end(t)

	life = b.life(t, backends, nil)
	named := life.connect(t, func(c *pgx.ConnConfig) {
		c.RuntimeParams["application_name"] = "other"
	})
	seen.note(t, named.PgConn().PID(), "began with another packet")
	if same := life.connect(t); same.PgConn().PID() != kept {
		t.Error("the backend that was at rest was not kept")
	}
	if err := backends.Close(); err != nil {
		t.Error(err)
	}
}

// pids say what became of the backends so far.
type pids map[uint32]string

func (p pids) note(t *testing.T, pid uint32, what string) {
	t.Helper()
	if earlier, known := p[pid]; known {
		t.Errorf("the backend that %s is the one that %s", what, earlier)
	}
	p[pid] = what
}

// blockedAndKilled is a backend that waited for a lock when its worker died.
func blockedAndKilled(t *testing.T, b *bench, backends *wire.Backends) uint32 {
	b.exec(t, b.harness, "create table counter (n int)")
	life := b.life(t, backends, nil)
	worker := life.connect(t)
	pid := worker.PgConn().PID()
	tx, err := b.harness.Begin(b.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(b.ctx, "lock table counter"); err != nil {
		t.Fatal(err)
	}
	socket := worker.PgConn().Conn()
	updated := make(chan error, 1)
	go func() {
		_, err := worker.Exec(context.Background(), "update counter set n = 1")
		updated <- err
	}()
	b.until(t, "select exists (select from pg_locks where not granted and pid = $1)", int32(pid))
	_ = socket.Close()
	if err := result(t, life, updated); err == nil {
		t.Error("the worker was told that its update was done")
	}
	life.end(t)
	if err := tx.Rollback(b.ctx); err != nil {
		t.Fatal(err)
	}
	return pid
}

// severed is a backend whose connection was severed.
func severed(t *testing.T, b *bench, backends *wire.Backends) uint32 {
	hold := gate.NewHold()
	life := b.life(t, backends, holds{addressOf("commit", 1, event.Response): hold})
	worker := life.connect(t)
	done := make(chan error, 1)
	go func() {
		_, err := worker.Exec(context.Background(), "begin; commit", pgx.QueryExecModeSimpleProtocol)
		done <- err
	}()
	life.reached(t, hold)
	life.resolve(t, hold, gate.Act{Kind: gate.Sever})
	if err := result(t, life, done); err == nil {
		t.Fatal("not severed")
	}
	life.end(t)
	return worker.PgConn().PID()
}

// A worker that has closed a connection can't strike the next one on its backend.
func TestALateCancelRequestStrikesNobody(t *testing.T) {
	b := open(t, nil)
	b.exec(t, b.harness, "create table slow (n int)")
	first := b.connect(t)
	pid := first.PgConn().PID()
	if err := first.Close(b.ctx); err != nil {
		t.Fatal(err)
	}
	second := b.connect(t)
	for second.PgConn().PID() != pid { // until it has been put aside
		second = b.connect(t)
	}
	for _, cancels := range []*pgx.Conn{first, second} {
		tx, err := b.harness.Begin(b.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(b.ctx, "lock table slow"); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := second.Exec(context.Background(), "insert into slow values (1)")
			done <- err
		}()
		b.until(t, "select exists (select from pg_locks where not granted and pid = $1)", int32(pid))
		if err := cancels.PgConn().CancelRequest(b.ctx); err != nil {
			t.Fatal(err)
		}
		if cancels == second {
			if err := result(t, b, done); sqlState(err) != "57014" {
				t.Errorf("its own cancel request did nothing: %v", err)
			}
		}
		if err := tx.Commit(b.ctx); err != nil {
			t.Fatal(err)
		}
		if cancels == first {
			if err := result(t, b, done); err != nil {
				t.Errorf("a late cancel request struck the next worker: %v", err)
			}
		}
	}
}

// A worker that is killed at a held turn leaves a backend at rest: the server had nothing of the
// turn, or was done with it. It is kept, and its transaction is over.
func TestTheBackendOfAKilledWorkerIsKept(t *testing.T) {
	for phase, expected := range map[event.Phase]int{event.Request: 0, event.Response: 1} {
		b := open(t, nil)
		backends := wire.NewBackends(postgrestest.Start(t).Dial)
		b.exec(t, b.harness, "create table counter (n int); insert into counter values (0)",
			pgx.QueryExecModeSimpleProtocol)
		hold := gate.NewHold()
		life := b.life(t, backends, holds{addressOf("commit", 1, phase): hold})
		worker := life.connect(t)
		b.exec(t, worker, "begin")
		b.exec(t, worker, "update counter set n = 1")
		socket, pid := worker.PgConn().Conn(), worker.PgConn().PID()
		committed := make(chan error, 1)
		go func() {
			_, err := worker.Exec(context.Background(), "commit")
			committed <- err
		}()
		life.reached(t, hold)
		life.gate.MarkDead("a", 1)
		_ = socket.Close() // as the kernel does for a killed process
		if err := result(t, life, committed); err == nil {
			t.Errorf("killed at the %s of COMMIT: it gave no error", phase)
		}
		life.end(t)
		if n := b.value(t, "select n from counter"); n != expected {
			t.Errorf("killed at the %s of COMMIT the row is %d, expected %d", phase, n, expected)
		}
		next := b.life(t, backends, nil).connect(t)
		if next.PgConn().PID() != pid {
			t.Errorf("killed at the %s of COMMIT: the backend was not kept", phase)
		}
		b.exec(t, next, "update counter set n = 5")
	}
}

// Workers that each begin in a way of their own must not fill the server.
func TestOnlySoManyBackendsWait(t *testing.T) {
	b := open(t, nil)
	backends := wire.NewBackends(postgrestest.Start(t).Dial)
	for n := range 20 {
		life := b.life(t, backends, nil)
		worker := life.connect(t, func(c *pgx.ConnConfig) {
			c.RuntimeParams["application_name"] = fmt.Sprint("bounded ", n)
		})
		_ = worker.Close(b.ctx)
		life.end(t)
	}
	const kept = "select count(*) from pg_stat_activity where application_name like 'bounded %'"
	b.until(t, "select 8 = ("+kept+")")
	life := b.life(t, backends, nil)
	worker := life.connect(t, func(c *pgx.ConnConfig) {
		c.RuntimeParams["application_name"] = "bounded 12"
	})
	if n := b.value(t, kept); n != 8 {
		t.Errorf("the oldest that was kept was not taken: %d backends", n)
	}
	_ = worker.Close(b.ctx)
	if err := backends.Close(); err != nil {
		t.Error(err)
	}
}
