package wire_test

import (
	"context"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/event"
	"lostreply/harness/gate"
)

// stopped is a worker that has changed a row and waits for its COMMIT, which is held.
type stopped struct {
	*bench
	worker    *pgx.Conn
	hold      *gate.Hold
	committed chan error
	socket    net.Conn // of the worker
	pid       uint32   // of its backend
}

func stopAtCommit(t *testing.T, phase event.Phase) stopped {
	t.Helper()
	hold := gate.NewHold()
	b := open(t, holds{addressOf("commit", 1, phase): hold})
	b.exec(t, b.harness, "create table counter (n int); insert into counter values (0)")
	s := stopped{bench: b, worker: b.connect(t), hold: hold, committed: make(chan error, 1)}
	s.socket, s.pid = s.worker.PgConn().Conn(), s.worker.PgConn().PID()
	b.exec(t, s.worker, "begin")
	b.exec(t, s.worker, "update counter set n = n + $1", 1)
	go func() {
		_, err := s.worker.Exec(context.Background(), "commit")
		s.committed <- err
	}()
	b.reached(t, hold)
	return s
}

func (s stopped) count(t *testing.T) int { return s.value(t, "select n from counter") }

func TestTheRequestOfACommitIsBeforeItAndItsResponseAfter(t *testing.T) {
	for phase, expected := range map[event.Phase]int{event.Request: 0, event.Response: 1} {
		s := stopAtCommit(t, phase)
		if n := s.count(t); n != expected {
			t.Errorf("at the %s of COMMIT the row is %d, expected %d", phase, n, expected)
		}
		select {
		case err := <-s.committed:
			t.Errorf("at the %s of COMMIT the worker was told already: %v", phase, err)
		default:
		}
		s.resolve(t, s.hold, gate.Passing())
		if err := result(t, s.bench, s.committed); err != nil || s.count(t) != 1 {
			t.Errorf("released at its %s, COMMIT gave %v and %d", phase, err, s.count(t))
		}
	}
}

func TestSeverGivesTheSameErrorBeforeAndAfterCommit(t *testing.T) {
	said := map[event.Phase]string{}
	for phase, expected := range map[event.Phase]int{event.Request: 0, event.Response: 1} {
		s := stopAtCommit(t, phase)
		s.resolve(t, s.hold, gate.Act{Kind: gate.Sever})
		err := result(t, s.bench, s.committed)
		if err == nil {
			t.Fatalf("severed at its %s, COMMIT gave no error", phase)
		}
		said[phase] = err.Error()
		if n := s.count(t); n != expected {
			t.Errorf("severed at the %s of COMMIT the row is %d, expected %d", phase, n, expected)
		}
		if s.value(t, "select count(*) from pg_locks where pid = $1", s.pid) != 0 {
			t.Errorf("severed at its %s: the worker hears of it while its backend holds locks", phase)
		}
		b := s.connect(t)
		s.exec(t, b, "update counter set n = n")
	}
	if said[event.Request] != said[event.Response] {
		t.Errorf("the worker can tell the phases apart:\n%s\n%s", said[event.Request],
			said[event.Response])
	}
}

func TestABlackHoleLeavesTheConnectionOpenAndSilent(t *testing.T) {
	for phase, expected := range map[event.Phase]int{event.Request: 0, event.Response: 1} {
		s := stopAtCommit(t, phase)
		s.resolve(t, s.hold, gate.Act{Kind: gate.BlackHole})
		// The worker gives up; the server does not hear of it.
		if err := s.socket.Close(); err != nil {
			t.Fatal(err)
		}
		if err := result(t, s.bench, s.committed); err == nil {
			t.Errorf("black-holed at its %s, COMMIT gave no error", phase)
		}
		if n := s.count(t); n != expected {
			t.Errorf("black-holed at the %s of COMMIT the row is %d, expected %d", phase, n, expected)
		}
		if s.value(t, "select count(*) from pg_stat_activity where pid = $1", s.pid) != 1 {
			t.Errorf("black-holed at its %s: the backend heard of the worker's end", phase)
		}
	}
}

func TestAFailedCommitEndsItsTransaction(t *testing.T) {
	s := stopAtCommit(t, event.Request)
	s.resolve(t, s.hold, gate.Act{Kind: gate.Fail, SQLState: "40001"})
	if err := result(t, s.bench, s.committed); sqlState(err) != "40001" {
		t.Fatalf("expected 40001, got %v", err)
	}
	if status := s.worker.PgConn().TxStatus(); status != 'I' || s.count(t) != 0 {
		t.Errorf("after a failed COMMIT: status %c and row %d, expected I and 0", status, s.count(t))
	}
	s.exec(t, s.worker, "update counter set n = n + $1", 5)
	if n := s.count(t); n != 5 {
		t.Errorf("the connection does not go on: %d", n)
	}
}

func TestACommitCanBeDoneAndReportedAsFailed(t *testing.T) {
	s := stopAtCommit(t, event.Response)
	s.resolve(t, s.hold, gate.Act{Kind: gate.Fail, SQLState: "08007"})
	if err := result(t, s.bench, s.committed); sqlState(err) != "08007" {
		t.Fatalf("expected 08007, got %v", err)
	}
	if n := s.count(t); n != 1 {
		t.Errorf("the COMMIT was to be done: %d", n)
	}
	s.exec(t, s.worker, "update counter set n = n + $1", 5)
}

func TestTheKilledWorkersTurnGoesNowhere(t *testing.T) {
	for phase, expected := range map[event.Phase]int{event.Request: 0, event.Response: 1} {
		s := stopAtCommit(t, phase)
		s.gate.MarkDead("a", 1)
		_ = s.socket.Close() // as the kernel does for a killed process
		if err := result(t, s.bench, s.committed); err == nil {
			t.Errorf("killed at its %s, COMMIT gave no error", phase)
		}
		if err := s.Close(s.ctx); err != nil {
			t.Fatal(err)
		}
		if n := s.count(t); n != expected {
			t.Errorf("killed at the %s of COMMIT the row is %d, expected %d", phase, n, expected)
		}
		if left := s.Backends(); len(left) != 0 {
			t.Errorf("killed at the %s of COMMIT: backends %v are left", phase, left)
		}
	}
}

// A failure in mid-transaction leaves the transaction as a real one does, on both sides, in both
// protocols.
func TestAFailedStatementAbortsItsTransaction(t *testing.T) {
	modes := []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeExec,
		pgx.QueryExecModeCacheStatement}
	for _, mode := range modes {
		hold := gate.NewHold()
		b := open(t, holds{addressOf("change", 1, event.Request): hold}, naming("update counter"))
		b.exec(t, b.harness, "create table counter (n int); insert into counter values (0)")
		worker := b.connect(t, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = mode })
		b.exec(t, worker, "begin")
		changed := make(chan error, 1)
		go func() {
			_, err := worker.Exec(b.ctx, "update counter set n = $1", 1)
			changed <- err
		}()
		b.reached(t, hold)
		b.resolve(t, hold, gate.Act{Kind: gate.Fail, SQLState: "55P03"})
		if err := result(t, b, changed); sqlState(err) != "55P03" {
			t.Fatalf("%s: expected 55P03, got %v", mode, err)
		}
		if status := worker.PgConn().TxStatus(); status != 'E' {
			t.Errorf("%s: the worker's transaction is %c, expected E", mode, status)
		}
		if _, err := worker.Exec(b.ctx, "select 1"); sqlState(err) != "25P02" {
			t.Errorf("%s: the server's transaction goes on: %v", mode, err)
		}
		b.exec(t, worker, "rollback")
		b.exec(t, worker, "update counter set n = $1", 7)
		if n := b.value(t, "select n from counter"); n != 7 {
			t.Errorf("%s: the connection does not go on: %d", mode, n)
		}
	}
}
