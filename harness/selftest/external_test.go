package selftest

import (
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/postgres/postgrestest"
)

// asked reads one column of texts.
func asked(t *testing.T, server *pgx.Conn, sql string) []string {
	t.Helper()
	rows, err := server.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// databases lists those that the harness made.
func databases(t *testing.T, server *pgx.Conn) []string {
	t.Helper()
	return asked(t, server, `select datname::text from pg_database
		where datname like 'lostreply%' order by 1`)
}

const runsThatLive = "select objid::text from pg_locks where locktype = 'advisory' order by 1"

// TestLeftoversOnSomebodysServer kills a harness beside another one that goes on: what it left on
// the server they share is dropped by the next run, and nothing of the one that lives.
func TestLeftoversOnSomebodysServer(t *testing.T) {
	t.Parallel()
	somebodys := postgrestest.Own(t)
	url := somebodys.ConnString("postgres")
	server := postgrestest.Connect(t, url)
	ended := startWaiting(t, "--postgres", url)
	left := databases(t, server)
	if len(left) == 0 {
		t.Fatal("no database has been made")
	}
	lives := startWaiting(t, "--postgres", url)
	if strings.Contains(lives.stderr.String(), "swept") {
		t.Errorf("it swept what a run that lives had made:\n%s", lives.stderr.String())
	}
	if err := ended.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = ended.Wait()
	until(t, "its sessions are gone", func() bool { return len(asked(t, server, runsThatLive)) == 1 })
	own := slices.DeleteFunc(databases(t, server), func(name string) bool {
		return slices.Contains(left, name)
	})
	next := call(t, "run", "--postgres", url, ended.folder, "--run", "^a$").expectStatus(t, 0)
	if strings.Count(next.stderr, "swept database lostreply_r") != len(left) {
		t.Errorf("it does not tell that it swept %v:\n%s", left, next)
	}
	if after := databases(t, server); !slices.Equal(after, own) {
		t.Errorf("the databases are %v, want those of the run that lives, %v", after, own)
	}
	if err := lives.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = lives.Wait()
	if after := databases(t, server); len(after) > 0 {
		t.Errorf("%v are left of a run that was interrupted:\n%s", after, lives.stderr.String())
	}
}

// TestKeepOnSomebodysServer leaves a scenario's database there, and no later run sweeps it.
func TestKeepOnSomebodysServer(t *testing.T) {
	t.Parallel()
	somebodys := postgrestest.Own(t)
	url := somebodys.ConnString("postgres")
	server := postgrestest.Connect(t, url)
	o := call(t, "run", "--keep", "--postgres", url, killed).expectStatus(t, 0)
	told := regexp.MustCompile(`killed-after-commit main: psql '.*/(lostreply_r\w+)\?.*'`).
		FindStringSubmatch(o.stderr)
	if told == nil || !strings.Contains(o.stderr, "drop them when you are done") {
		t.Fatalf("it does not say how to connect:\n%s", o)
	}
	call(t, "run", "--postgres", url, killed).expectStatus(t, 0)
	if after := databases(t, server); !slices.Equal(after, told[1:]) {
		t.Errorf("the databases are %v, want %v", after, told[1:])
	}
}
