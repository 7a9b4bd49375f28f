package wire_test

import (
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/wire"
)

// A point in time that is bound is seen however the driver sends it, once somebody watches; texts
// and numbers are none.
func TestBoundTimesAreSeen(t *testing.T) {
	at := time.Date(2031, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec} {
		var mutex sync.Mutex
		var seen []wire.BoundTime
		b := open(t, nil, func(c *wire.Config) {
			c.Times = func(bound []wire.BoundTime) {
				mutex.Lock()
				defer mutex.Unlock()
				seen = append(seen, bound...)
			}
		})
		b.exec(t, b.harness, "create table diary (entry text, day int, at timestamptz)")
		worker := b.connect(t, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = mode })
		write := func() {
			b.exec(t, worker, "insert into diary values ($1, $2, $3)", "2031", 2031, at)
		}
		write()
		if len(seen) != 0 {
			t.Errorf("%s: seen unwatched: %v", mode, seen)
		}
		b.WatchTimes()
		write()
		mutex.Lock()
		if len(seen) != 1 || seen[0].Param != 3 || !seen[0].Time.Equal(at) {
			t.Errorf("%s: saw %v, expected $3 at %s", mode, seen, at)
		}
		mutex.Unlock()
	}
}
