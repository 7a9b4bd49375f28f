package selftest

import (
	"os"
	"strings"
	"testing"
)

// TestBadInput loads one example of every mistake there is. All are told at once, each with its
// place; nothing runs, and nothing has been started for it.
func TestBadInput(t *testing.T) {
	t.Parallel()
	o := callWith(t, nobodysPostgres(t), "run", "testdata/bad").expectStatus(t, 2)
	if o.stdout != "" {
		t.Errorf("something ran:\n%s", o.stdout)
	}
	for _, line := range strings.Split(strings.TrimSpace(o.stderr), "\n") {
		if !strings.HasPrefix(line, "testdata/bad/") {
			t.Errorf("a mistake without its place: %s", line)
		}
	}
	golden(t, "bad", o.String())
}

// nobodysPostgres makes every use of PostgreSQL fail: with it in the environment, what does not
// fail has started none.
func nobodysPostgres(t *testing.T) []string {
	t.Helper()
	return []string{"LOSTREPLY_POSTGRES_BIN=" + t.TempDir()}
}

// TestOneMalformedFileAmongGoodOnes makes sure that the good ones do not run either.
func TestOneMalformedFileAmongGoodOnes(t *testing.T) {
	t.Parallel()
	o := call(t, "run", "testdata/selection", "testdata/bad/text.yaml").expectStatus(t, 2)
	if o.stdout != "" {
		t.Errorf("something ran:\n%s", o.stdout)
	}
	call(t, "run", "testdata/selection/a1.yaml").expectStatus(t, 0)
}

// TestNothingSelected makes sure that a run of nothing is no pass, however it came about.
func TestNothingSelected(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	var text strings.Builder
	for _, arguments := range [][]string{
		{empty},
		{"testdata/selection", "--shard", "9/9"},
		{"testdata/selection", "--shard", "2/1"},
		{"testdata/selection", "--run", "nothing-is-called-so"},
		{"testdata/selection", "--run", "("},
		{"testdata/selection", "--tag", "quik"},
		{"testdata/selection", "--tag", "quick", "--tag", "slwo"},
		{"testdata/selection", "--tag", "quick", "--run", "^a1$"},
		{"testdata/two", "--tag", "slow"},
		{"testdata/selektion"},
		{"testdata/selektion", "testdata/bad/text.yaml", "testdata/bad/broken.yaml"},
		{"testdata/selection", "--no-such-flag"},
		{"testdata/selection", "--parallel", "-1"},
		{"testdata/selection", "--parallel", "many"},
		{"testdata/selection", "--repeat", "0"},
		{"testdata/selection", "--postgres", "garbage"},
		{"testdata/selection", "--postgres", "postgres://me:secret@host:port/db"},
	} {
		o := call(t, append([]string{"run"}, arguments...)...).expectStatus(t, 2)
		if o.stdout != "" {
			t.Errorf("something ran:\n%s", o.stdout)
		}
		text.WriteString(o.String())
	}
	golden(t, "nothing-selected", normal(text.String(), map[string]string{empty: "EMPTY"}))
}

// TestTroubleOfTheHarness shows what can't be had: it is no failure of the system, and exits 3.
func TestTroubleOfTheHarness(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		name, folder string
		environment  []string
	}{
		{"unbuildable", "testdata/unbuildable", nil},
		{"failing set-up", "testdata/badsetup", nil},
		{"no PostgreSQL", "testdata/database", nobodysPostgres(t)},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			folders := map[string]string{}
			for _, variable := range each.environment {
				_, value, _ := strings.Cut(variable, "=")
				folders[value] = "EMPTY"
			}
			o := callWith(t, each.environment, "run", each.folder).expectStatus(t, 3)
			golden(t, strings.ReplaceAll(each.name, " ", "-"), normal(o.String(), folders))
		})
	}
}

// TestUnknownVariant makes sure that the clean build does not run in place of a variant that is not
// there.
func TestUnknownVariant(t *testing.T) {
	t.Parallel()
	o := call(t, "run", "--variant", "no-such-variant", "testdata/channels/unmet.yaml")
	if o.status != 2 && o.status != 3 || strings.Contains(o.stdout, "CASE") {
		t.Errorf("it ran:\n%s", o)
	}
	if !strings.Contains(o.stderr, "no-such-variant") && !strings.Contains(o.stderr, "defects") {
		t.Errorf("the variant is not named:\n%s", o)
	}
}

// TestUnreadableFolder makes sure that what can't be read is not passed over.
func TestUnreadableFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Symlink("no-such-target", folder+"/lost.yaml"); err != nil {
		t.Fatal(err)
	}
	o := call(t, "run", folder).expectStatus(t, 2)
	if !strings.Contains(o.stderr, "lost.yaml") {
		t.Errorf("the file is not named:\n%s", o)
	}
}

// TestMistakenCalls makes sure that what a caller got wrong is told with what is valid, and is no
// trouble of the harness: nothing has been started for it.
func TestMistakenCalls(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		environment string
		arguments   []string
		want        string
	}{
		{"LOSTREPLY_ROOT=foo", []string{"run", "testdata/two"},
			`LOSTREPLY_ROOT is "foo": it must be userns or uid, or unset`},
		{"LOSTREPLY_POSTGRES_URL=garbage", []string{"run", "testdata/two"}, "--postgres: no URL of"},
		{"", []string{"record", "--postgres", "garbage", "testdata/two"}, "--postgres: no URL of"},
		{"", []string{"evidence", "--postgres", "garbage", "testdata/two"}, "--postgres: no URL of"},
		{"", []string{"rnu"}, `no file or folder rnu, and unknown command "rnu": did you mean "run"?`},
		{"", []string{"evidence", "--write", "--into", "/proc/self", "testdata/two"},
			"--into /proc/self: nothing can be written there"},
		{"", []string{"explore", "testdata/explore/push.yaml", "--postgres", "garbage"},
			"--postgres: no URL of"},
		{"", []string{"explore", "testdata/explore/push.yaml", "--out", "/proc/self"},
			"--out /proc/self: nothing can be written there"},
		{"", []string{"variants", "testdata/matrix", "--postgres", "garbage"}, "--postgres: no URL of"},
		{"", []string{"variants", "testdata/matrix", "--out", "/proc/self"},
			"--out /proc/self: nothing can be written there"},
	} {
		o := callWith(t, []string{each.environment}, each.arguments...).expectStatus(t, 2)
		if !strings.Contains(o.stderr, each.want) || o.stdout != "" {
			t.Errorf("it does not say %q:\n%s", each.want, o)
		}
	}
}

// TestServerThatIsNotThere makes sure that somebody's server which can't be reached is trouble,
// told with what to do about it.
func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	o := call(t, "run", "--postgres", "postgres://me:secret@127.0.0.1:1/db", "testdata/two")
	o.expectStatus(t, 3)
	for _, want := range []string{
		"use the PostgreSQL server at 127.0.0.1:1", "correct its URL", "or give none", "not_run=2",
	} {
		if !strings.Contains(o.stdout+o.stderr, want) {
			t.Errorf("it does not say %q:\n%s", want, o)
		}
	}
	if strings.Contains(o.stdout+o.stderr, "secret") {
		t.Errorf("it tells the password:\n%s", o)
	}
}
