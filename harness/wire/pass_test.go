package wire_test

import (
	"bytes"
	"strings"
	"testing"
)

func TestAWorkerReachesItsDatabase(t *testing.T) {
	b := open(t, nil)
	if b.Connections() != 0 {
		t.Fatalf("connections before any: %d", b.Connections())
	}
	worker := b.connect(t)
	var pid uint32
	if err := worker.QueryRow(b.ctx, "select pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if got := b.Backends(); len(got) != 1 || got[0] != pid || b.Connections() != 1 {
		t.Fatalf("backends %v of %d connections, expected [%d] of 1", got, b.Connections(), pid)
	}
}

func TestLargeValuesPassUnchanged(t *testing.T) {
	b := open(t, nil)
	worker := b.connect(t)
	value := bytes.Repeat([]byte("0123456789abcdef"), 30<<20/16)
	var back []byte
	if err := worker.QueryRow(b.ctx, "select $1::bytea", value).Scan(&back); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(value, back) {
		t.Fatalf("30 MB came back as %d other bytes", len(back))
	}
}

func TestCopyInAndOut(t *testing.T) {
	b := open(t, nil)
	worker := b.connect(t)
	if _, err := worker.Exec(b.ctx, "create temp table copied (line text)"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Repeat("a line of some length\n", 100_000)
	raw := worker.PgConn()
	if _, err := raw.CopyFrom(b.ctx, strings.NewReader(lines), "copy copied from stdin"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := raw.CopyTo(b.ctx, &out, "copy copied to stdout"); err != nil {
		t.Fatal(err)
	}
	if out.String() != lines {
		t.Fatalf("copied in %d bytes, out %d others", len(lines), out.Len())
	}
}

func TestACancelRequestReachesItsBackend(t *testing.T) {
	b := open(t, nil)
	worker := b.connect(t)
	done := make(chan error, 1)
	go func() {
		_, err := worker.Exec(b.ctx, "select pg_sleep(3600)")
		done <- err
	}()
	b.until(t, `select count(*) = 1 from pg_stat_activity where pid = any($1)
		and wait_event = 'PgSleep'`, b.Backends())
	if err := worker.PgConn().CancelRequest(b.ctx); err != nil {
		t.Fatal(err)
	}
	if err := result(t, b, done); sqlState(err) != "57014" {
		t.Fatalf("expected a cancelled query (57014), got %v", err)
	}
}
