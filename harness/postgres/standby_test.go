package postgres_test

import (
	"context"
	"slices"
	"testing"

	"lostreply/harness/postgres"
	"lostreply/harness/postgres/postgrestest"
)

// A standby that takes over has what was acknowledged, but not what came after it was cut off.
func TestAStandbyTakesOver(t *testing.T) {
	for name, test := range map[string]struct {
		cutOff, crash, restart bool
		want                   []string
	}{
		"of a running primary":   {want: []string{"after", "as loaded", "before"}},
		"of a crashed primary":   {crash: true, want: []string{"after", "as loaded", "before"}},
		"of a restarted primary": {restart: true, want: []string{"after", "as loaded", "before"}},
		"cut off":                {cutOff: true, want: []string{"as loaded", "before"}},
		"cut off, and crashed":   {cutOff: true, crash: true, want: []string{"as loaded", "before"}},
	} {
		t.Run(name, func(t *testing.T) {
			primary := startOwn(t)
			database, standby := withStandby(t, primary)
			insert := func(note string) {
				conn := postgrestest.Connect(t, primary.ConnString(database))
				if _, err := conn.Exec(t.Context(), "INSERT INTO note VALUES ($1)", note); err != nil {
					t.Fatal(err)
				}
				_ = conn.Close(t.Context())
			}
			do := func(wanted bool, act func(context.Context) error) {
				if !wanted {
					return
				}
				if err := act(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			insert("before")
			do(test.restart, standby.CatchUp)
			do(test.restart, primary.Restart)
			do(test.cutOff, standby.CutOff)
			insert("after")
			do(test.crash, standby.CatchUp)
			do(test.crash, primary.Crash)
			do(true, standby.Promote)
			if primary.Pid() != 0 {
				t.Error("the primary still runs")
			}
			now := postgrestest.Connect(t, standby.ConnString(database))
			if got := notes(t, now); !slices.Equal(got, test.want) {
				t.Errorf("the standby has %v, expected %v", got, test.want)
			}
			if _, err := now.Exec(t.Context(), "INSERT INTO note VALUES ('new')"); err != nil {
				t.Errorf("the standby that has taken over takes no writes: %v", err)
			}
		})
	}
}

func withStandby(t *testing.T, primary *postgres.Server) (database string, s *postgres.Standby) {
	t.Helper()
	template, err := primary.CreateTemplate(t.Context(), "note", postgres.MovableClock, loadNote)
	if err != nil {
		t.Fatal(err)
	}
	if database, err = primary.Clone(t.Context(), template); err != nil {
		t.Fatal(err)
	}
	if s, err = primary.AddStandby(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return database, s
}
