package wire_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/postgres/postgrestest"
	"lostreply/harness/wire"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(proxyVariable); kind != "" {
		beProxy(kind, os.Getenv(upstreamVariable))
		return
	}
	postgrestest.Main(m)
}

// patience bounds every wait of these tests; it only ever decides that one failed.
const patience = time.Minute

// holds is a policy of breakpoints by address.
type holds map[event.Address]*gate.Hold

func addressOf(name string, nth int, phase event.Phase) event.Address {
	return event.Address{Worker: "a", Incarnation: 1, Event: name, Nth: nth, Phase: phase}
}

func (h holds) Decide(e event.Event) *gate.Hold {
	if len(h) == 0 {
		return nil
	}
	for _, address := range e.Addresses() {
		if hold := h[address]; hold != nil {
			return hold
		}
	}
	return nil
}

// bench is a listener under test with its gate, before a database of its own.
type bench struct {
	*wire.Listener
	gate     *gate.Gate
	ctx      context.Context
	database string
	harness  *pgx.Conn // past the proxy
}

// open makes a bench. Its worker is dead when the test ends.
func open(t testing.TB, policy gate.Policy, change ...func(*wire.Config)) *bench {
	t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	t.Cleanup(cancel)
	if policy == nil {
		policy = holds{}
	}
	server := postgrestest.Start(t)
	url := postgrestest.Database(t, "")
	harness := postgrestest.Connect(t, url)
	terminator := postgrestest.Connect(t, url)
	b := &bench{gate: gate.New(policy), ctx: ctx, harness: harness,
		database: harness.Config().Database}
	config := wire.Config{
		Worker: "a", Incarnation: 1, Dial: server.Dial, Gate: b.gate,
		Terminate: func(ctx context.Context, pid uint32) error {
			_, err := terminator.Exec(ctx, wire.TerminateSQL, pid)
			return err
		},
	}
	for _, edit := range change {
		edit(&config)
	}
	if config.Backends == nil {
		config.Backends = wire.NewBackends(config.Dial)
		t.Cleanup(func() { _ = config.Backends.Close() })
	}
	listener, err := wire.Listen(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	b.Listener = listener
	t.Cleanup(func() {
		b.gate.MarkDead("a", 1)
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return b
}

// url is what the worker is given.
func (b *bench) url() string {
	user := b.harness.Config().User
	return "postgres://" + user + "@" + b.Addr() + "/" + b.database + "?sslmode=disable"
}

// connect is a connection of the worker; it ends with the test.
func (b *bench) connect(t testing.TB, options ...func(*pgx.ConnConfig)) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(b.url())
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range options {
		option(config)
	}
	connection, err := pgx.ConnectConfig(b.ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(context.Background()) })
	return connection
}

func (b *bench) exec(t testing.TB, connection *pgx.Conn, sql string, arguments ...any) {
	t.Helper()
	if _, err := connection.Exec(b.ctx, sql, arguments...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// value is a number that the harness reads.
func (b *bench) value(t testing.TB, sql string, arguments ...any) (number int) {
	t.Helper()
	if err := b.harness.QueryRow(b.ctx, sql, arguments...).Scan(&number); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return number
}

// until waits for a fact.
func (b *bench) until(t testing.TB, sql string, arguments ...any) {
	t.Helper()
	err := clock.Until(b.ctx, func(ctx context.Context) (held bool, err error) {
		err = b.harness.QueryRow(ctx, sql, arguments...).Scan(&held)
		return held, err
	})
	if err != nil {
		t.Fatalf("waiting for %s: %v", sql, err)
	}
}

// reached waits until an event has been stopped.
func (b *bench) reached(t testing.TB, hold *gate.Hold) event.Event {
	t.Helper()
	select {
	case <-hold.Reached():
		return hold.Event()
	case <-b.ctx.Done():
		t.Fatalf("the hold was not reached; the events were\n%s", b.events())
	}
	panic("unreachable")
}

func (b *bench) resolve(t testing.TB, hold *gate.Hold, act gate.Act) {
	t.Helper()
	if err := b.gate.Resolve(hold, act); err != nil {
		t.Fatal(err)
	}
}

// events is the history, a line each.
func (b *bench) events() string {
	text := ""
	for _, e := range b.gate.History() {
		text += e.String()
		if e.Idle {
			text += " idle"
		}
		text += "\n"
	}
	return text
}

// result waits for what another goroutine found.
func result[T any](t testing.TB, b *bench, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-b.ctx.Done():
		t.Fatalf("nothing came; the events were\n%s", b.events())
	}
	panic("unreachable")
}

// sqlState is the SQLSTATE of an error, or "" when it has none.
func sqlState(err error) string {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

// naming gives the statements of a label the name `change`.
func naming(label string) func(*wire.Config) {
	return func(c *wire.Config) { c.Namer = wire.Names{{Name: "change", Label: label}} }
}
