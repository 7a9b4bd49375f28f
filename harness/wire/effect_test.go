package wire

import (
	"testing"

	"lostreply/harness/event"
)

// TestEffects tells what only reads from what changes or locks rows, and both from what may do
// anything: what is not known to be harmless isn't.
func TestEffects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]event.Effect{
		"begin": event.Begins,
		"START TRANSACTION ISOLATION LEVEL READ COMMITTED":                  event.Begins,
		"begin isolation level serializable":                                event.Anything,
		"select 1":                                                          event.Reads,
		"(select a from b) union (select count(*) from d)":                  event.Reads,
		"select coalesce(max(n), 0) from a where b in (select c from d)":    event.Reads,
		"with a as (select 1) select * from a as x (n)":                     event.Reads,
		"select a from b for update of b skip locked":                       event.Changes,
		"select a from b where (select c from d for share) is null":         event.Changes,
		"select a into c from b":                                            event.Changes,
		`select "for" from b`:                                               event.Reads,
		"select 'for update' /* for */ from b -- for":                       event.Reads,
		"insert into a.b (c) values (now()) on conflict (c) do nothing":     event.Changes,
		"with u as (update a set b = 1 returning *) select * from u":        event.Changes,
		"delete from a where b < now() - make_interval(secs => 1)":          event.Changes,
		"select pg_advisory_lock(1)":                                        event.Anything,
		"select claim_task(1)":                                              event.Anything,
		`select "count"(1)`:                                                 event.Anything,
		"select s.claim(1) from b":                                          event.Anything,
		"insert into a values (nextval('s'))":                               event.Anything,
		"select pid from pg_stat_activity":                                  event.Anything,
		"select pid from pg_catalog.pg_locks":                               event.Anything,
		"lock table a":                                                      event.Anything,
		"truncate a":                                                        event.Anything,
		"set local x = 1":                                                   event.Anything,
		"commit":                                                            event.Anything,
		"select a from b where c in (select (((((((((((((f(1))))))))))))))": event.Anything,
	} {
		pieces := splitStatements(text)
		if len(pieces) != 1 || pieces[0].effect != want {
			t.Errorf("%s\n  can do %+v, want %q", text, pieces, want)
		}
	}
}

// TestEffectOfAPart takes the statement that does most.
func TestEffectOfAPart(t *testing.T) {
	t.Parallel()
	reader := newReader(nil, nil)
	for text, want := range map[string]event.Effect{
		"select 1; select 2":       event.Reads,
		"begin; select 1":          event.Changes,
		"select 1; update a set b": event.Changes,
		"select 1; lock a":         event.Anything,
		"lock a; select 1":         event.Anything,
	} {
		own := part{spoken: []*script{reader.read([]byte(text), false)}}
		if got := own.effect(); got != want {
			t.Errorf("%s: can do %q, want %q", text, got, want)
		}
	}
	cut := part{spoken: []*script{reader.read([]byte("select 1"), true)}}
	if got := cut.effect(); got != event.Anything {
		t.Errorf("a text that was cut off: can do %q, want anything", got)
	}
}
