package wire_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
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

// BenchmarkWire compares a load directly, through a bare TCP copy and through the proxy with events
// on, in turns within one run. What counts is proxy/copy, of times: 1 is as fast as a bare copy.
func BenchmarkWire(b *testing.B) {
	for _, load := range loads {
		for _, clients := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/clients=%d", load.name, clients), func(b *testing.B) {
				benchmarkWays(b, clients, load.once)
			})
		}
	}
}

// slice is how many operations each way has before the next one's turn. Ways are compared by the
// median of their slices, which other work on the machine moves least.
const slice = 40

func benchmarkWays(b *testing.B, clients int,
	once func(context.Context, *pgx.Conn, int) error) {
	bench := open(b, nil)
	if _, err := bench.harness.Exec(bench.ctx, `create table account (id int primary key, balance int);
		create table change (id int);
		insert into account select n, 0 from generate_series(1, 1000) n; analyze account`,
		pgx.QueryExecModeSimpleProtocol); err != nil {
		b.Fatal(err)
	}
	ways := []string{"direct", "copy", "proxy"}
	workers := [][]*pgx.Conn{
		crew(b, bench, "postgres", clients, direct), crew(b, bench, bareCopy(b), clients, nil),
		crew(b, bench, bench.Addr(), clients, nil),
	}
	spent := make([][]time.Duration, len(ways))
	b.ResetTimer()
	for done := 0; done < b.N; done += slice {
		count := min(slice, b.N-done)
		for way := range ways {
			start := clock.Now()
			var running sync.WaitGroup
			for client, worker := range workers[way] {
				running.Go(func() {
					for n := client; n < count; n += clients {
						if err := once(bench.ctx, worker, 1+n%1000); err != nil {
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
	median := make([]float64, len(ways))
	for way, name := range ways {
		slices.Sort(spent[way])
		median[way] = float64(spent[way][len(spent[way])/2].Nanoseconds()) / 1000
		b.ReportMetric(median[way], "us-"+name)
	}
	b.ReportMetric(median[1]/median[0], "copy/direct")
	b.ReportMetric(median[2]/median[1], "proxy/copy")
}

func direct(config *pgx.ConnConfig, dial func(context.Context) (net.Conn, error)) {
	config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
}

// crew connects clients to an address, or as change says.
func crew(b *testing.B, bench *bench, address string, clients int,
	change func(*pgx.ConnConfig, func(context.Context) (net.Conn, error))) []*pgx.Conn {
	server := postgrestest.Start(b)
	crew := make([]*pgx.Conn, clients)
	for i := range crew {
		crew[i] = bench.connect(b, func(config *pgx.ConnConfig) {
			if change != nil {
				change(config, server.Dial)
				return
			}
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				b.Fatal(err)
			}
			number, err := strconv.ParseUint(port, 10, 16)
			if err != nil {
				b.Fatal(err)
			}
			config.Host, config.Port = host, uint16(number)
		})
	}
	return crew
}

// bareCopy is a proxy that copies bytes and does nothing else.
func bareCopy(b *testing.B) string {
	server := postgrestest.Start(b)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = socket.Close() })
	go func() {
		for {
			client, err := socket.Accept()
			if err != nil {
				return
			}
			backend, err := server.Dial(context.Background())
			if err != nil {
				b.Error(err)
				return
			}
			go func() {
				_, _ = io.Copy(backend, client)
				_ = backend.Close()
			}()
			go func() {
				_, _ = io.Copy(client, backend)
				_ = client.Close()
			}()
		}
	}()
	return socket.Addr().String()
}
