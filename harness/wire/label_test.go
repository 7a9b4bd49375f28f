package wire

import (
	"errors"
	"strings"
	"testing"

	"lostreply/harness/scenario"
)

func TestLabels(t *testing.T) {
	for text, expected := range map[string]string{
		"update delivery_task set a = 1":                 "update delivery_task/UPDATE",
		"UPDATE ONLY public.\"Task\" SET a=1":            "update public.Task/UPDATE",
		"begin":                                          "begin/BEGIN",
		"START TRANSACTION ISOLATION LEVEL SERIALIZABLE": "begin/BEGIN",
		"END":                        "commit/COMMIT",
		"commit and chain":           "commit/COMMIT",
		"COMMIT PREPARED 'x'":        "commit prepared/COMMIT PREPARED",
		"prepare transaction 'x'":    "prepare transaction/PREPARE TRANSACTION",
		"ABORT":                      "rollback/ROLLBACK",
		"rollback to savepoint sp_1": "rollback to/ROLLBACK",
		"savepoint sp_1":             "savepoint/SAVEPOINT",
		"select a, (select b from x) from t.u join v on true":       "select t.u/SELECT",
		"select extract(year from now()) from u":                    "select u/SELECT",
		"(select a from b) union (select c from d)":                 "select b/SELECT",
		"select pg_catalog.pg_notify('a', 'b')":                     "select pg_catalog.pg_notify/SELECT",
		"select 1":                                                  "select/SELECT",
		"insert into a.b values (1, 'x;y')":                         "insert a.b/INSERT",
		"delete from only x where true":                             "delete x/DELETE",
		"merge into x using y on true when matched then do nothing": "merge x/MERGE",
		"copy t (a) from stdin":                                     "copy t/COPY",
		"create unlogged table if not exists a.b (c int)":           "create table a.b/CREATE TABLE",
		"create unique index concurrently i on t (a)":               "create index i/CREATE INDEX",
		"drop table if exists x":                                    "drop table x/DROP TABLE",
		"lock table x in share mode":                                "lock x/LOCK",
		"listen news":                                               "listen news/LISTEN",
		"set local search_path = x":                                 "set search_path/SET",
		"do $a$ begin; commit; end $a$":                             "do/DO",
		"/* a; /* b; */ */ -- c;\nvacuum":                           "vacuum/VACUUM",
		"with a as (select 1), b as materialized (select 2 from c) update only " +
			"river_job set x = 1 from a": "with-update river_job/UPDATE",
		"with d as (delete from q where id in (select id from q limit 1) " +
			"returning *) select * from d": "with-delete q/SELECT hidden",
		"with recursive r (n) as (values (1) union " +
			"select n from r) select * from r": "with-select r/SELECT",
		"with m as (insert into a values (1) returning *) insert into b select " +
			"* from m": "with-insert b/INSERT hidden",
		"select e'a\\';b', $$x;y$$, $t$;$t$, \"q;\"\"r\" from s": "select s/SELECT",
		"create function f() returns int begin atomic select case when true " +
			"then 1 end; select 2; end": "create function f/CREATE FUNCTION",
	} {
		pieces := splitStatements(text)
		if len(pieces) != 1 {
			t.Errorf("%s: %d statements", text, len(pieces))
			continue
		}
		seen := see(pieces[0].tokens)
		got := seen.label + "/" + seen.command
		if seen.hidden {
			got += " hidden"
		}
		if err := errors.Join(scenario.CheckLabel(seen.label),
			scenario.CheckCommand(seen.command)); err != nil {
			t.Errorf("%s: a scenario could not name it: %v", text, err)
		}
		if got != expected {
			t.Errorf("%s\n  is %q, expected %q", text, got, expected)
		}
	}
}

func TestStatementsAreCutWithTheirComments(t *testing.T) {
	for text, expected := range map[string][]string{
		"":                        nil,
		" ; -- ping\n;":           nil,
		"a; b":                    {"a", " b"},
		"-- name: A\na; /*x*/ b;": {"-- name: A\na", " /*x*/ b"},
		"a; /* of a */":           {"a /* of a */"},
		"a 'unterminated; b":      {"a 'unterminated; b"},
	} {
		var got []string
		for _, piece := range splitStatements(text) {
			got = append(got, piece.text)
		}
		if strings.Join(got, "|") != strings.Join(expected, "|") {
			t.Errorf("%q is cut into %q, expected %q", text, got, expected)
		}
	}
}

func FuzzLabels(f *testing.F) {
	for _, seed := range []string{"with a as (select", "select $1 from", "((((", "$$", "e'\\",
		"create function f() begin atomic", "\"", "/*/*", "update only", "select a."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		total := 0
		for _, piece := range splitStatements(text) {
			see(piece.tokens)
			total += len(piece.text)
		}
		if total > len(text) {
			t.Fatalf("%d bytes of statements in %d of text", total, len(text))
		}
	})
}
