package lab

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// deletesSQL lists what in a schema takes rows away, or what they refer to, without a statement
// that says so: the catalogs of PostgreSQL tell (pg_constraint.confdeltype, pg_proc.prosrc and
// pg_rewrite).
const deletesSQL = `
	SELECT format('foreign key %I of %s (%s)', conname, conrelid::regclass, CASE confdeltype
	         WHEN 'c' THEN 'ON DELETE CASCADE' WHEN 'n' THEN 'ON DELETE SET NULL'
	         ELSE 'ON DELETE SET DEFAULT' END)
	  FROM pg_constraint WHERE contype = 'f' AND confdeltype IN ('c', 'n', 'd') AND conparentid = 0
	UNION ALL
	SELECT format('function %I', proname)
	  FROM pg_proc WHERE prosrc ~* '\m(delete\s+from|truncate)\M'
	   AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
	UNION ALL
	SELECT format('rule %I of %s', rulename, ev_class::regclass)
	  FROM pg_rewrite WHERE ev_type <> '1' AND pg_get_ruledef(oid) ~* '\mdelete\s+from\M'
	   AND ev_class >= 16384 -- FirstNormalObjectId: what a user has made
	ORDER BY 1`

// tellDeletes says, once for a system's database, what its schema takes away by itself: with that,
// a recovery can erase the rows by which a check would have seen the damage.
func (l *Lab) tellDeletes(ctx context.Context, conn *pgx.Conn, system, database string) error {
	if _, told := l.toldDeletes.LoadOrStore(system+"\x00"+database, true); told {
		return nil
	}
	rows, err := conn.Query(ctx, deletesSQL, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return fmt.Errorf("look for deletes in the schema: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for deletes in the schema: %w", err)
	}
	if len(found) > 0 {
		l.options.Log(fmt.Sprintf("note: the schema of %s, database %s, deletes by itself: %s; check "+
			"what must be there before something is cleaned up, or count it elsewhere", system, database,
			strings.Join(found, ", ")))
	}
	return nil
}
