package postgres_test

import (
	"strings"
	"testing"

	"lostreply/harness/postgres"
)

// TestCheckURL tells what can't name a server, without connecting to anything.
func TestCheckURL(t *testing.T) {
	for _, good := range []string{
		"postgres://me@host/db", "postgresql://host:5432/db?sslmode=disable", "host=/run user=me",
	} {
		if err := postgres.CheckURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"garbage", "postgres://me:secret@host:port/db", "mysql://host/db"} {
		err := postgres.CheckURL(bad)
		if err == nil || !strings.Contains(err.Error(), "expected postgres://") {
			t.Errorf("%s: %v", bad, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the password is told: %v", bad, err)
		}
	}
}

// TestRedacted makes sure that a password never comes out.
func TestRedacted(t *testing.T) {
	for given, want := range map[string]string{
		"postgres://me:s%40cret@host/db":        "postgres://me:PASSWORD@host/db",
		"postgres://me@host/db?password=secret": "postgres://me@host/db?password=PASSWORD",
		"host=h password='a \\' b' user=me":     "host=h password=PASSWORD user=me",
		"postgres://me@host/db":                 "postgres://me@host/db",
	} {
		if got := postgres.Redacted(given); got != want {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
}
