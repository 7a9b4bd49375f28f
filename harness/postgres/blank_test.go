package postgres_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/postgres"
	"lostreply/harness/postgres/postgrestest"
)

const blankSchema = `
CREATE SCHEMA "Odd's";
CREATE SEQUENCE number START 5 INCREMENT 10;
CREATE TABLE parent (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text);
CREATE TABLE child (id serial, parent int REFERENCES parent, at timestamptz DEFAULT now());
CREATE INDEX child_parent ON child (parent);
CREATE TABLE "Odd's"."Name" (n int);
CREATE TABLE part (n int) PARTITION BY LIST (n);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE VIEW notes AS SELECT note FROM parent;
CREATE TYPE colour AS ENUM ('red');
CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';
`

func schemaFile(t testing.TB, schema string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "schema.sql")
	if err := os.WriteFile(file, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// blank is a database with a schema that nobody has used yet, and what was learnt of it.
func blank(t testing.TB, file string) (*pgx.Conn, *postgres.Blank) {
	t.Helper()
	conn := postgrestest.Connect(t, postgrestest.Database(t, file))
	surveyed, err := postgres.Survey(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	return conn, surveyed
}

func do(t testing.TB, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// What a run may leave: rows everywhere, sequences moved on, also by what was rolled back.
const used = `
INSERT INTO parent (note) VALUES ('a'), ('b');
INSERT INTO child (parent) VALUES (1), (2);
INSERT INTO "Odd's"."Name" VALUES (1);
INSERT INTO part VALUES (1);
SELECT nextval('number'), nextval('number');
BEGIN; INSERT INTO parent (note) VALUES ('c'); ROLLBACK;
DELETE FROM child;
`

func TestAUsedDatabaseIsMadeBlankAgain(t *testing.T) {
	conn, surveyed := blank(t, schemaFile(t, blankSchema))
	if surveyed == nil {
		t.Fatal("it can't be made blank")
	}
	for range 2 {
		do(t, conn, used)
		if err := surveyed.Restore(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		var left, parent, child, number int
		if err := conn.QueryRow(t.Context(), `WITH
			p AS (INSERT INTO parent (note) VALUES ('x') RETURNING id),
			c AS (INSERT INTO child (parent) VALUES (NULL) RETURNING id)
			SELECT (SELECT count(*) FROM parent) + (SELECT count(*) FROM child) +
				(SELECT count(*) FROM "Odd's"."Name") + (SELECT count(*) FROM part),
				p.id, c.id, nextval('number') FROM p, c`).Scan(&left, &parent, &child, &number); err != nil {
			t.Fatal(err)
		}
		if left != 0 || parent != 1 || child != 1 || number != 5 {
			t.Errorf("%d rows are left; the next ids are %d, %d and %d, not 1, 1 and 5",
				left, parent, child, number)
		}
		if err := surveyed.Restore(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
	}
}

// A database of which more was changed than TRUNCATE undoes must not be used again.
func TestMoreThanRowsIsNoticed(t *testing.T) {
	file := schemaFile(t, blankSchema+`CREATE FUNCTION tell() RETURNS event_trigger
		LANGUAGE plpgsql AS 'BEGIN END';`)
	for _, change := range []string{
		"CREATE TABLE more (n int)", "DROP TABLE child", "ALTER TABLE parent ADD more int",
		"ALTER TABLE parent ALTER note SET NOT NULL", "ALTER TABLE parent ALTER note SET DEFAULT 'x'",
		"ALTER TABLE child DROP CONSTRAINT child_parent_fkey", "DROP INDEX child_parent",
		"CREATE INDEX more ON parent (note)", "ALTER TABLE parent SET (fillfactor = 50)",
		"ALTER TABLE child SET UNLOGGED", "GRANT SELECT ON parent TO PUBLIC",
		"ALTER TABLE parent ENABLE ROW LEVEL SECURITY", "ALTER TABLE child DISABLE TRIGGER ALL",
		"CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 2'",
		"CREATE OR REPLACE VIEW notes AS SELECT upper(note) AS note FROM parent",
		"ALTER TYPE colour ADD VALUE 'blue'", "ALTER SEQUENCE number INCREMENT 3",
		"CREATE SCHEMA more", "ALTER SCHEMA public OWNER TO CURRENT_USER",
		"CREATE RULE silent AS ON INSERT TO parent DO INSTEAD NOTHING",
		"COMMENT ON TABLE parent IS 'more'", "CREATE PUBLICATION more FOR TABLE parent",
		"INSERT INTO parent (note) VALUES ('x'); ANALYZE parent", "SELECT lo_create(4711)",
		"CREATE STATISTICS more ON id, parent FROM child",
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = ''1MB''',
			current_database()); END $$`,
		"CREATE EVENT TRIGGER more ON ddl_command_end EXECUTE FUNCTION tell()",
		"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC",
		"CREATE CAST (colour AS int) WITH INOUT",
	} {
		t.Run(change, func(t *testing.T) {
			conn, surveyed := blank(t, file)
			do(t, conn, change)
			if err := surveyed.Restore(t.Context(), conn); !errors.Is(err, postgres.ErrUsed) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhatTruncateWouldNotMakeBlankIsNotSurveyed(t *testing.T) {
	for name, schema := range map[string]string{
		"rows":       "CREATE TABLE kind (n int); INSERT INTO kind VALUES (1);",
		"a sequence": "CREATE SEQUENCE number; SELECT nextval('number');",
		"a summary":  "CREATE MATERIALIZED VIEW summary AS SELECT 1 AS n;",
		"on truncate": `CREATE TABLE t (n int); CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql
			AS 'BEGIN RAISE ''no''; END'; CREATE TRIGGER no BEFORE TRUNCATE ON t EXECUTE FUNCTION no();`,
	} {
		if _, surveyed := blank(t, schemaFile(t, schema)); surveyed != nil {
			t.Errorf("%s: it is taken for blank", name)
		}
	}
}

func TestALockedDatabaseIsNotMadeBlank(t *testing.T) {
	conn, surveyed := blank(t, schemaFile(t, blankSchema))
	do(t, conn, used)
	other := postgrestest.Connect(t, conn.Config().ConnString())
	do(t, other, "BEGIN; LOCK TABLE parent")
	if err := surveyed.Restore(t.Context(), conn); err == nil {
		t.Error("it was made blank under a lock")
	}
}
