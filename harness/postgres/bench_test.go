package postgres_test

import (
	"context"
	"testing"

	"lostreply/harness/postgres"
	"lostreply/harness/postgres/postgrestest"
)

// BenchmarkStart is a warm start of a server: binaries and data directory are cached.
func BenchmarkStart(b *testing.B) {
	binaries := postgrestest.Binaries(b)
	for b.Loop() {
		server, err := postgres.Start(b.Context(), binaries, postgres.StartOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := server.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkClone is one database from a template; its drop is not counted.
func BenchmarkClone(b *testing.B) {
	server := postgrestest.Start(b)
	template, err := server.CreateTemplate(b.Context(), "bench", postgres.MovableClock, loadNote)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Drop(context.Background(), template); err != nil {
			b.Error(err)
		}
	})
	for b.Loop() {
		database, err := server.Clone(b.Context(), template)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := server.Drop(b.Context(), database); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkRestore makes a database blank of which one table of two was used, on a connection that
// is kept for it.
func BenchmarkRestore(b *testing.B) {
	conn, surveyed := blank(b, schemaFile(b, blankSchema))
	worker := postgrestest.Connect(b, conn.Config().ConnString())
	for b.Loop() {
		b.StopTimer()
		do(b, worker, "INSERT INTO parent (note) VALUES ('a')")
		b.StartTimer()
		if err := surveyed.Restore(b.Context(), conn); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNow is a scan that asks for now() once a row, the worst that the movable clock costs.
func BenchmarkNow(b *testing.B) {
	conn := postgrestest.Connect(b, postgrestest.Database(b, ""))
	for _, function := range []string{"now()", "lostreply_real_now()"} {
		b.Run(function, func(b *testing.B) {
			for b.Loop() {
				_, err := conn.Exec(b.Context(), "SELECT count(*) FROM generate_series(1, 10000) n"+
					" WHERE timestamptz '2020-01-01' + n * interval '1 s' < "+function)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
