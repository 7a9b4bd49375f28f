package wire_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/wire"
)

// raw speaks the protocol by hand.
type raw struct {
	*pgproto3.Frontend
	*bench
}

func (b *bench) raw(t *testing.T) raw {
	t.Helper()
	hijacked, err := b.connect(t).PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hijacked.Conn.Close() })
	return raw{hijacked.Frontend, b}
}

// say sends messages in one write.
func (r raw) say(t *testing.T, messages ...pgproto3.FrontendMessage) {
	t.Helper()
	for _, message := range messages {
		r.Send(message)
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
}

// hears reads as many messages as are expected, by their letters.
func (r raw) hears(t *testing.T, expected string) {
	t.Helper()
	heard := ""
	for range strings.Fields(expected) {
		message, err := r.Receive()
		if err != nil {
			t.Fatalf("after %q: %v; the events were\n%s", heard, err, r.events())
		}
		encoded, err := message.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		heard += " " + string(encoded[:1])
	}
	if heard = strings.TrimSpace(heard); heard != expected {
		t.Fatalf("heard %q, expected %q", heard, expected)
	}
}

func parse(sql string) *pgproto3.Parse { return &pgproto3.Parse{Query: sql} }

func TestFlushPassesAtOnce(t *testing.T) {
	b := open(t, nil)
	worker := b.raw(t)
	worker.say(t, parse("select 1"), &pgproto3.Describe{ObjectType: 'S'}, &pgproto3.Flush{})
	worker.hears(t, "1 t T")
	worker.say(t, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Flush{})
	worker.hears(t, "2 D C")
	worker.say(t, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{})
	worker.hears(t, "2 D C Z")
	b.sees(t, `
request (select) flushed
request (select)
response (select) SELECT 1, SELECT 1`)
}

func TestCopyInByTheExtendedProtocolIsOneTurn(t *testing.T) {
	b := open(t, nil)
	b.exec(t, b.harness, "create table copied (line text)")
	worker := b.raw(t)
	worker.say(t, parse("copy copied from stdin"), &pgproto3.Bind{}, &pgproto3.Execute{},
		&pgproto3.Sync{})
	worker.hears(t, "1 2 G")
	worker.say(t, &pgproto3.CopyData{Data: []byte("one\n")}, &pgproto3.CopyDone{}, &pgproto3.Sync{})
	worker.hears(t, "C Z")
	worker.say(t, &pgproto3.Query{String: "select count(*) from copied"})
	worker.hears(t, "T D C Z")
	b.sees(t, `
request (copy copied)
response (copy copied) COPY 1
request (select copied)
response (select copied) SELECT 1`)
}

func TestWhatIsNoTurn(t *testing.T) {
	b := open(t, nil, func(c *wire.Config) { c.Ignore = []string{"SELECT  1;"} })
	worker := b.connect(t)
	if err := worker.Ping(b.ctx); err != nil {
		t.Fatal(err)
	}
	b.exec(t, worker, "select 1")
	b.exec(t, worker, "select 1", pgx.QueryExecModeSimpleProtocol)
	if _, err := worker.Prepare(b.ctx, "", "select 2"); err != nil {
		t.Fatal(err)
	}
	b.exec(t, worker, "-- nothing\n ;", pgx.QueryExecModeSimpleProtocol)
	b.sees(t, "")
}

func TestABatchIsOneTurn(t *testing.T) {
	b := open(t, nil)
	b.exec(t, b.harness, "create table counter (n int)")
	worker := b.connect(t)
	batch := &pgx.Batch{}
	batch.Queue("begin")
	batch.Queue("insert into counter values ($1)", 1)
	batch.Queue("insert into counter values ($1)", 2)
	batch.Queue("commit")
	if err := worker.SendBatch(b.ctx, batch).Close(); err != nil {
		t.Fatal(err)
	}
	b.sees(t, `
request commit#1 (begin; insert counter; commit)
response commit#1 (begin; insert counter; commit) BEGIN, INSERT 0 1, INSERT 0 1, COMMIT`)
}

func TestAPipelineIsATurnForEachSync(t *testing.T) {
	b := open(t, nil)
	worker := b.connect(t)
	pipeline := worker.PgConn().StartPipeline(b.ctx)
	for range 2 {
		pipeline.SendQueryParams("select 1", nil, nil, nil, nil)
		if err := pipeline.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := pipeline.Close(); err != nil {
		t.Fatal(err)
	}
	seen := strings.Split(b.events(), "\n")
	requests := strings.Count(strings.Join(seen, "\n"), "request (select)")
	responses := strings.Count(strings.Join(seen, "\n"), "response (select) SELECT 1")
	if requests != 2 || responses != 2 {
		t.Errorf("expected two turns, saw\n%s", b.events())
	}
}

func TestNotificationsComeWithoutATurn(t *testing.T) {
	b := open(t, nil)
	worker := b.connect(t)
	b.exec(t, worker, "listen news")
	before := b.events()
	b.exec(t, b.harness, "notify news, 'today'")
	notification, err := worker.WaitForNotification(b.ctx)
	if err != nil || notification.Payload != "today" {
		t.Fatalf("heard %v, %v", notification, err)
	}
	if b.events() != before {
		t.Errorf("a notification is no turn:\n%s", b.events())
	}
}

func TestAnEmptyPollIsIdleAndSoIsItsCommit(t *testing.T) {
	hold := gate.NewHold()
	b := open(t, holds{addressOf("commit", 1, event.Response): hold})
	b.exec(t, b.harness, "create table counter (n int)")
	worker := b.connect(t)
	poll := func() {
		b.exec(t, worker, "begin")
		b.exec(t, worker, "select n from counter for update skip locked")
		b.exec(t, worker, "commit")
	}
	poll()
	b.exec(t, b.harness, "insert into counter values (1)")
	done := make(chan struct{})
	go func() { defer close(done); poll() }()
	b.reached(t, hold)
	b.resolve(t, hold, gate.Passing())
	<-done
	b.sees(t, `
request (begin)
response (begin) BEGIN (I>T)
request (select counter)
response (select counter) SELECT 0 (T>T) idle
request commit(idle) (commit) idle
response commit(idle) (commit) COMMIT (T>I) idle
request (begin)
response (begin) BEGIN (I>T)
request (select counter)
response (select counter) SELECT 1 (T>T)
request commit#1 (commit)
response commit#1 (commit) COMMIT (T>I)`)
}

func TestErrorsAreToldBySQLState(t *testing.T) {
	b := open(t, nil)
	worker := b.connect(t)
	if _, err := worker.Exec(b.ctx, "select 1/0"); sqlState(err) != "22012" {
		t.Fatalf("expected 22012, got %v", err)
	}
	if _, err := worker.Exec(b.ctx, "select 1/0", pgx.QueryExecModeSimpleProtocol); err == nil {
		t.Fatal("expected an error")
	}
	b.exec(t, worker, "select 1")
	b.sees(t, `
request (select)
response (select) 22012
request (select)
response (select) 22012
request (select)
response (select) SELECT 1`)
}

// sees compares the history, without whose it is, with the lines expected.
func (b *bench) sees(t *testing.T, expected string) {
	t.Helper()
	seen := strings.ReplaceAll(b.events(), "a.1 turn ", "")
	if strings.TrimSpace(seen) != strings.TrimSpace(expected) {
		t.Errorf("saw\n%s\nexpected\n%s", seen, expected)
	}
}

func TestAWorkerBlockedOnALockEndsWithIt(t *testing.T) {
	b := open(t, nil)
	b.exec(t, b.harness, "create table counter (n int); insert into counter values (0)")
	b.exec(t, b.harness, "begin; update counter set n = 1")
	worker := b.connect(t)
	socket := worker.PgConn().Conn()
	blocked := make(chan error, 1)
	go func() {
		_, err := worker.Exec(context.Background(), "update counter set n = 2")
		blocked <- err
	}()
	b.until(t, `select count(*) = 1 from pg_stat_activity where pid = any($1)
		and wait_event_type = 'Lock'`, b.Backends())
	b.gate.MarkDead("a", 1)
	_ = socket.Close()
	<-blocked
	if err := b.Close(b.ctx); err != nil {
		t.Fatal(err)
	}
	b.exec(t, b.harness, "commit")
	if n := b.value(t, "select n from counter"); n != 1 {
		t.Errorf("the dead worker's update came through: %d", n)
	}
}
