package wire_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/wire"
)

// holds is a policy of breakpoints by address.
type holds map[event.Address]*gate.Hold

func addressOf(name string, nth int, phase event.Phase) event.Address {
	return event.Address{Worker: "a", Incarnation: 1, Event: name, Nth: nth, Phase: phase}
}

func (h holds) Decide(e event.Event) *gate.Hold {
	for _, address := range e.Addresses() {
		if hold := h[address]; hold != nil {
			return hold
		}
	}
	return nil
}

// bench is a listener under test, with its gate.
type bench struct {
	*wire.Listener
	gate *gate.Gate
	ctx  context.Context
}

func open(t *testing.T, policy holds, change ...func(*wire.Config)) *bench {
	t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	t.Cleanup(cancel)
	harness := directly(t)
	b := &bench{gate: gate.New(policy), ctx: ctx}
	config := wire.Config{
		Worker: "a", Incarnation: 1, Dial: dial, Gate: b.gate,
		Terminate: func(ctx context.Context, pid uint32) error {
			_, err := harness.Exec(ctx, wire.TerminateSQL, pid)
			return err
		},
	}
	for _, edit := range change {
		edit(&config)
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
func (b *bench) url() string { return "postgres://postgres@" + b.Addr() + "/postgres" }

// connect is a connection of the worker; it ends with the test.
func (b *bench) connect(t *testing.T, options ...func(*pgx.ConnConfig)) *pgx.Conn {
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
