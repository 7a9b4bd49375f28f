package wire_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/event"
	"lostreply/harness/gate"
)

// An act has been carried out when the gate says so: what the worker's socket holds is there at
// that instant, and nobody has to wait for it.
func TestWhatAnActDoesIsThereWhenItIsCarriedOut(t *testing.T) {
	const silence, end, failure, answer = "silence", "end", "an error", "an answer"
	for _, c := range []struct {
		act      gate.Act
		phase    event.Phase
		expected string
	}{
		{gate.Act{Kind: gate.Sever}, event.Request, end},
		{gate.Act{Kind: gate.Sever}, event.Response, end},
		{gate.Act{Kind: gate.BlackHole}, event.Request, silence},
		{gate.Act{Kind: gate.BlackHole}, event.Response, silence},
		{gate.Act{Kind: gate.Fail, SQLState: "40001"}, event.Request, failure},
		{gate.Act{Kind: gate.Fail, SQLState: "40001"}, event.Response, failure},
		{gate.Passing(), event.Response, answer},
	} {
		hold := gate.NewHold()
		b := open(t, holds{addressOf("commit", 1, c.phase): hold})
		socket := b.committing(t)
		b.reached(t, hold)
		b.carry(t, hold, c.act)
		got := silence
		switch bytes, err := peek(t, socket); {
		case err == io.EOF:
			got = end
		case strings.Contains(bytes, "C40001\x00"):
			got = failure
		case strings.HasPrefix(bytes, "C"):
			got = answer
		case bytes != "":
			got = bytes
		}
		if got != c.expected {
			t.Errorf("%s at the %s: the worker has %s, expected %s", c.act.Kind, c.phase, got, c.expected)
		}
	}
}

// committing is the socket of a worker that has sent its COMMIT.
func (b *bench) committing(t *testing.T) net.Conn {
	t.Helper()
	worker := b.connect(t, func(c *pgx.ConnConfig) {
		c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	})
	b.exec(t, worker, "begin")
	hijacked, err := worker.PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hijacked.Conn.Close() })
	if _, err := hijacked.Conn.Write([]byte("Q\x00\x00\x00\x0bcommit\x00")); err != nil {
		t.Fatal(err)
	}
	return hijacked.Conn
}

// carry lets an act be done, and waits until it has been carried out.
func (b *bench) carry(t testing.TB, hold *gate.Hold, act gate.Act) {
	t.Helper()
	b.resolve(t, hold, act)
	select {
	case <-hold.Carried():
	case <-b.ctx.Done():
		t.Fatalf("%s was not carried out", act.Kind)
	}
	if err := hold.Failure(); err != nil {
		t.Fatalf("%s: %v", act.Kind, err)
	}
}

// peek is what a socket holds now: nothing, bytes, or its end. It does not wait.
func peek(t *testing.T, socket net.Conn) (held string, end error) {
	t.Helper()
	raw, err := socket.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 1<<10)
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), buffer, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case err == nil && n == 0:
			end = io.EOF
		case err == nil:
			held = string(buffer[:n])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return held, end
}

// An act on a turn whose connection has ended is not taken for one that was carried out.
func TestAnActAfterTheEndOfItsConnectionIsLost(t *testing.T) {
	hold := gate.NewHold()
	b := open(t, holds{addressOf("commit", 1, event.Request): hold})
	socket := b.committing(t)
	b.reached(t, hold)
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(b.ctx); err != nil {
		t.Fatal(err)
	}
	b.resolve(t, hold, gate.Act{Kind: gate.Fail, SQLState: "40001"})
	select {
	case <-hold.Carried():
	case <-b.ctx.Done():
		t.Fatal("nobody said what became of the act")
	}
	if err := hold.Failure(); !errors.Is(err, gate.ErrLost) {
		t.Errorf("failed a turn that had ended: %v", err)
	}
}
