package stage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/strict"
	"lostreply/harness/wire"
)

// lookAtClock keeps what in a statement reads the time past the movable clock.
func (s *seen) lookAtClock(database string, statement wire.Statement) {
	for _, spelling := range clock.Uncaught(statement.Text) {
		told := fmt.Sprintf("%s in: %s", spelling, statement.Label)
		if !slices.Contains(s.uncaught[database], told) {
			s.uncaught[database] = append(s.uncaught[database], told)
		}
	}
}

// clockNotes tell, for each database whose clock was moved, what read the time past it: statements
// of workers, and its own defaults, views and functions.
func (s *Stage) clockNotes(ctx context.Context) []string {
	var notes []string
	for _, database := range sortedKeys(s.databases) {
		if s.seen.advancedBy(database) == 0 {
			continue
		}
		s.seen.mutex.Lock()
		past := slices.Sorted(slices.Values(s.seen.uncaught[database]))
		s.seen.mutex.Unlock()
		past = append(past, s.uncaughtInSchema(ctx, database)...)
		for _, told := range past {
			notes = append(notes, fmt.Sprintf("the clock of database %s was advanced, and this is not "+
				"moved by it: %s; write now()", database, told))
		}
	}
	return notes
}

// definitionsSQL lists what a database computes by itself, with its text. What PostgreSQL itself
// defines has smaller oids (FirstNormalObjectId of access/transam.h), and there is a lot of it.
const definitionsSQL = `
	select 'the default of ' || a.attrelid::regclass || '.' || a.attname as what,
	       pg_get_expr(d.adbin, d.adrelid) as text
	  from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
	union all
	select 'function ' || p.oid::regproc, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)
	  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
	 where p.oid >= 16384 and n.nspname not in ('pg_catalog', 'information_schema', 'lostreply')
	union all
	select 'view ' || c.oid::regclass, pg_get_viewdef(c.oid)
	  from pg_class c join pg_namespace n on n.oid = c.relnamespace
	 where c.oid >= 16384 and c.relkind in ('v', 'm')
	   and n.nspname not in ('pg_catalog', 'information_schema')
	order by 1`

// uncaughtInSchema looks at what the database computes by itself. A server that the scenario has
// crashed for good is not asked.
func (s *Stage) uncaughtInSchema(ctx context.Context, database string) []string {
	connection, err := s.Control(ctx, strict.Text{Value: database})
	if err != nil {
		return nil
	}
	rows, err := connection.Query(ctx, definitionsSQL)
	if err != nil {
		return nil
	}
	var told []string
	var what, text string
	_, _ = pgx.ForEachRow(rows, []any{&what, &text}, func() error {
		if spellings := clock.Uncaught(text); len(spellings) > 0 {
			told = append(told, strings.Join(spellings, ", ")+" in: "+what)
		}
		return nil
	})
	return told
}
