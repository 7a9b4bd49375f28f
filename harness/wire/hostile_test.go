package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/wire"
)

// stranger connects to the listener without a driver.
func (b *bench) stranger(t *testing.T) net.Conn {
	t.Helper()
	var dialer net.Dialer
	socket, err := dialer.DialContext(b.ctx, "tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	return socket
}

func TestBytesThatAreNotTheProtocol(t *testing.T) {
	for what, bytes := range map[string]string{
		"an HTTP request":            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"a start-up of 4 GB":         "\xff\xff\xff\xff\x00\x03\x00\x00",
		"a start-up of no bytes":     "\x00\x00\x00\x00\x00\x03\x00\x00",
		"a start-up of version 9":    "\x00\x00\x00\x08\x00\x09\x00\x00",
		"TLS without asking for TLS": "\x16\x03\x01\x02\x00\x01\x00\x01",
	} {
		b := open(t, nil)
		socket := b.stranger(t)
		if _, err := socket.Write([]byte(bytes)); err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(socket)
		if !strings.HasPrefix(string(answer), "E") {
			t.Errorf("%s is answered %q, expected an ErrorResponse", what, answer)
		}
		if troubles := b.Troubles(); len(troubles) != 1 {
			t.Errorf("%s: troubles %v, expected one", what, troubles)
		}
	}
}

func TestAMessageWithALengthThatCannotBe(t *testing.T) {
	b := open(t, nil)
	hijacked, err := b.connect(t).PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hijacked.Conn.Write([]byte("Q\xff\xff\xff\xffselect")); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(hijacked.Conn)
	if !strings.Contains(string(answer), "08P01") {
		t.Errorf("answered %q, expected 08P01", answer)
	}
	if troubles := b.Troubles(); len(troubles) != 1 {
		t.Errorf("troubles %v, expected one", troubles)
	}
}

// A server that dies in the middle of a message, or says what is not the protocol, ends the
// worker's connection with a clear error and nothing else.
func TestAServerThatDiesOrBabbles(t *testing.T) {
	for what, bytes := range map[string]string{
		"dies in mid-message": "D\x00\x00\x10\x00half",
		"babbles":             "D\x00\x00\x00\x01",
	} {
		server, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer server.Close()
			socket, err := server.Accept()
			if err != nil {
				return
			}
			defer socket.Close()
			backend := pgproto3.NewBackend(socket, socket)
			if _, err := backend.ReceiveStartupMessage(); err != nil {
				return
			}
			backend.Send(&pgproto3.AuthenticationOk{})
			backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			_ = backend.Flush()
			_, _ = backend.Receive()
			_, _ = socket.Write([]byte(bytes))
		}()
		b := open(t, nil, func(c *wire.Config) {
			c.Terminate = nil
			c.Dial = func(ctx context.Context) (net.Conn, error) {
				var dialer net.Dialer
				return dialer.DialContext(ctx, "tcp", server.Addr().String())
			}
		})
		worker := b.connect(t)
		_, err = worker.PgConn().Exec(b.ctx, "select 1").ReadAll()
		if err == nil {
			t.Errorf("a server that %s gave no error", what)
		}
		if what == "babbles" && sqlState(err) != "08P01" {
			t.Errorf("a server that %s: %v, expected 08P01", what, err)
		}
	}
}

func TestAClientThatNeverReadsHoldsLittle(t *testing.T) {
	b := open(t, nil, func(c *wire.Config) { c.WithheldBound = 4 << 20 })
	worker := b.raw(t)
	worker.say(t, &pgproto3.Query{String: "select repeat('x', 1000000) from generate_series(1, 200)"})
	b.until(t, `select count(*) = 1 from pg_stat_activity where pid = any($1)
		and wait_event = 'ClientWrite'`, b.Backends())
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapInuse > 64<<20 {
		t.Errorf("%d MB in use for a client that does not read", memory.HeapInuse>>20)
	}
}

func TestAnAnswerTooLargeToWithholdKeepsItsEnd(t *testing.T) {
	hold := gate.NewHold()
	b := open(t, holds{addressOf("change", 1, event.Response): hold}, naming("select generate_series"),
		func(c *wire.Config) { c.WithheldBound = 4 << 20 })
	worker := b.raw(t)
	const rows = 20
	worker.say(t, &pgproto3.Query{String: "select repeat('x', 1000000) from generate_series(1, 20)"})
	worker.hears(t, "T"+strings.Repeat(" D", rows))
	b.reached(t, hold)
	b.resolve(t, hold, gate.Act{Kind: gate.Fail, SQLState: "08006"})
	worker.hears(t, "E Z")
}

func TestARequestTooLargeToWithholdIsAskedAboutEarly(t *testing.T) {
	hold := gate.NewHold()
	b := open(t, holds{addressOf("change", 1, event.Request): hold}, naming("select"),
		func(c *wire.Config) { c.WithheldBound = 4 << 20 })
	worker := b.connect(t)
	length := make(chan int, 1)
	failure := make(chan error, 1)
	go func() {
		results, err := worker.PgConn().Exec(context.Background(),
			"select '"+strings.Repeat("y", 30<<20)+"'").ReadAll()
		if err != nil || len(results) != 1 || len(results[0].Rows) != 1 {
			failure <- err
			length <- -1
			return
		}
		length <- len(results[0].Rows[0][0])
	}()
	if e := b.reached(t, hold); !strings.Contains(e.Detail, "had not arrived") {
		t.Errorf("the event does not say so: %s", e)
	}
	b.resolve(t, hold, gate.Passing())
	if got := result(t, b, length); got != 30<<20 {
		t.Errorf("%d bytes came back: %v, troubles %v", got, <-failure, b.Troubles())
	}
}

func TestALargeRequestCanBeFailed(t *testing.T) {
	for _, bound := range []int64{0, 4 << 20} {
		hold := gate.NewHold()
		b := open(t, holds{addressOf("change", 1, event.Request): hold}, naming("select"),
			func(c *wire.Config) { c.WithheldBound = bound })
		worker := b.connect(t)
		failed := make(chan error, 1)
		go func() {
			_, err := worker.PgConn().Exec(context.Background(),
				"select '"+strings.Repeat("y", 30<<20)+"'").ReadAll()
			failed <- err
		}()
		b.reached(t, hold)
		b.resolve(t, hold, gate.Act{Kind: gate.Fail, SQLState: "54000"})
		if err := result(t, b, failed); sqlState(err) != "54000" {
			t.Errorf("bound %d: expected 54000, got %v", bound, err)
		}
		b.exec(t, worker, "select 2")
	}
}

func TestTheServerThatIsNotThere(t *testing.T) {
	b := open(t, nil, func(c *wire.Config) {
		c.Dial = func(context.Context) (net.Conn, error) { return nil, errors.New("no such server") }
	})
	socket := b.stranger(t)
	startup, err := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := socket.Write(startup); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(socket)
	if !strings.Contains(string(answer), "no such server") || len(b.Troubles()) != 1 {
		t.Errorf("answered %q with troubles %v", answer, b.Troubles())
	}
}
