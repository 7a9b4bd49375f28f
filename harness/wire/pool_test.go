package wire_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/wire"
)

// A pool's turns are counted by name, whichever connection they come by; and a held one leaves the
// pool's other connections alone.
func TestAPoolsTurnsAreCountedByName(t *testing.T) {
	hold := gate.NewHold()
	b := open(t, holds{addressOf("change", 7, event.Response): hold}, naming("update counter"))
	b.exec(t, b.harness, "create table counter (id int, n int)")
	b.exec(t, b.harness, "insert into counter select n, 0 from generate_series(1, 20) n")
	config, err := pgxpool.ParseConfig(b.url())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 3
	pool, err := pgxpool.NewWithConfig(b.ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var workers errgroup.Group
	workers.SetLimit(8)
	go func() {
		<-hold.Reached()
		// The others can finish only by the other connections.
		err := b.gate.Resolve(hold, gate.Passing())
		if err != nil {
			t.Error(err)
		}
	}()
	for id := range 20 {
		workers.Go(func() error {
			_, err := pool.Exec(b.ctx, "update counter set n = n + 1 where id = $1", id+1)
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := b.value(t, "select sum(n) from counter"); n != 20 {
		t.Errorf("%d updates of 20", n)
	}
	if seen := strings.Count(b.events(), "response change#"); seen != 20 {
		t.Errorf("%d named responses of 20:\n%s", seen, b.events())
	}
	if b.Connections() > 3 {
		t.Errorf("%d connections of a pool of 3", b.Connections())
	}
}

// The same statement has the same name however the driver sends it, and its parameters decide in
// text and in binary.
func TestOneNameServesEveryWayOfSending(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement,
		pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec} {
		b := open(t, nil, func(c *wire.Config) {
			c.Namer = wire.Names{{Name: "seven", Label: "update counter", Params: map[int]string{1: "7"}}}
		})
		b.exec(t, b.harness, "create table counter (n bigint)")
		worker := b.connect(t, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = mode })
		for _, n := range []int64{6, 7, 7} {
			b.exec(t, worker, "update counter set n = 1 where n = $1", n)
		}
		if undecided := b.Undecided(); len(undecided) != 0 {
			t.Errorf("%s: undecided: %v", mode, undecided)
		}
		if events := b.events(); strings.Count(events, "request seven") != 2 {
			t.Errorf("%s: expected seven twice, saw\n%s", mode, events)
		}
	}
}
