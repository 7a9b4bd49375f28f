package wire_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/postgres/postgrestest"
)

// loads are those of pgbench: select-only and simple-update.
var loads = []struct {
	name string
	once func(ctx context.Context, worker *pgx.Conn, row int) error
}{
	{"select-only", func(ctx context.Context, worker *pgx.Conn, row int) error {
		var balance int
		return worker.QueryRow(ctx, "select balance from account where id = $1", row).Scan(&balance)
	}},
	{"simple-update", func(ctx context.Context, worker *pgx.Conn, row int) error {
		var balance int
		if _, err := worker.Exec(ctx, "begin"); err != nil {
			return err
		}
		if _, err := worker.Exec(ctx, "update account set balance = balance + 1 where id = $1",
			row); err != nil {
			return err
		}
		err := worker.QueryRow(ctx, "select balance from account where id = $1", row).Scan(&balance)
		if err != nil {
			return err
		}
		if _, err := worker.Exec(ctx, "insert into change (id) values ($1)", row); err != nil {
			return err
		}
		_, err = worker.Exec(ctx, "commit")
		return err
	}},
}

// ways are what a load goes through, the worker's connection first.
var ways = []string{"direct", "copy", "proxy", "toxiproxy"}

// BenchmarkWire compares a load directly, through a bare copy of bytes, through the proxy with
// events on and through toxiproxy, in turns within one run. Each proxy is a process of its own, as
// a harness is to its workers, and each reaches the server by TCP, as toxiproxy must. What counts
// are the speeds relative to each other; "proxy/copy" of 1 is as fast as a bare copy.
func BenchmarkWire(b *testing.B) {
	if testing.Short() {
		b.Skip("it takes a server of its own")
	}
	user := startOnTCP(b)
	addresses := []string{tcpAddress}
	for _, way := range ways[1:] {
		addresses = append(addresses, startProxy(b, way, tcpAddress))
	}
	for _, load := range loads {
		for _, clients := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/clients=%d", load.name, clients), func(b *testing.B) {
				crews := make([][]*pgx.Conn, len(ways))
				for way, address := range addresses {
					crews[way] = crew(b, user, address, clients)
				}
				compare(b, crews, load.once)
			})
		}
	}
}

// slice is how many operations each way has before the next one's turn, the first of which is
// another's in each round. Two ways are compared within a round, and what counts is the median of
// all rounds: other work on the machine, which comes and goes, meets the ways of a round alike.
const slice = 40

func compare(b *testing.B, crews [][]*pgx.Conn,
	once func(context.Context, *pgx.Conn, int) error) {
	spent := make([][]time.Duration, len(crews))
	b.ResetTimer()
	for done := 0; done < b.N; done += slice {
		count := min(slice, b.N-done)
		for turn := range crews {
			way := (turn + done/slice) % len(crews)
			start := clock.Now()
			var running sync.WaitGroup
			for client, worker := range crews[way] {
				running.Go(func() {
					for n := client; n < count; n += len(crews[way]) {
						if err := once(b.Context(), worker, 1+n%1000); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			running.Wait()
			spent[way] = append(spent[way], clock.Since(start)/time.Duration(count))
		}
	}
	for way, name := range ways {
		if way > 0 {
			b.ReportMetric(relative(spent[way], spent[0]), name+"/direct")
		}
	}
	b.ReportMetric(relative(spent[2], spent[1]), "proxy/copy")
	b.ReportMetric(relative(spent[2], spent[3]), "proxy/toxiproxy")
	b.ReportMetric(0, "ns/op")
}

// relative is the speed of one way in terms of another's: the median over the rounds.
func relative(own, other []time.Duration) float64 {
	ratios := make([]float64, len(own))
	for round := range own {
		ratios[round] = other[round].Seconds() / own[round].Seconds()
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// tcpAddress is an address of this machine's own that nothing else listens at.
const tcpAddress = "127.93.7.1:5432"

// startOnTCP starts a server that listens at tcpAddress too, and fills the tables of the loads. It
// returns the user to connect as.
func startOnTCP(b *testing.B) (user string) {
	server := postgrestest.Own(b)
	host, _, _ := net.SplitHostPort(tcpAddress)
	say := func(sql string) {
		connection, err := pgx.Connect(b.Context(), server.ConnString("postgres"))
		if err != nil {
			b.Fatal(err)
		}
		defer connection.Close(b.Context())
		_, err = connection.Exec(b.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			b.Fatal(err)
		}
	}
	say("alter system set listen_addresses = '" + host + "'")
	if err := server.Restart(b.Context()); err != nil {
		b.Fatal(err)
	}
	say(`create table account (id int primary key, balance int);
		create table change (id int);
		insert into account select n, 0 from generate_series(1, 1000) n; analyze account`)
	return server.User()
}

// crew connects clients to an address.
func crew(b *testing.B, user, address string, clients int) []*pgx.Conn {
	crew := make([]*pgx.Conn, clients)
	for i := range crew {
		url := "postgres://" + user + "@" + address + "/postgres?sslmode=disable"
		connection, err := pgx.Connect(b.Context(), url)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = connection.Close(context.Background()) })
		crew[i] = connection
	}
	return crew
}
