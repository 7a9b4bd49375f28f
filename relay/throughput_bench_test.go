package relay_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/postgres/postgrestest"
	"lostreply/harness/wire"
	"lostreply/relay"
)

// BenchmarkRelay is events a second, each pushed, delivered over HTTP and acked: of one tenant by
// one relay, and of eight tenants by eight relays, directly and through the harness's proxy.
func BenchmarkRelay(b *testing.B) {
	for _, way := range []string{"direct", "proxy"} {
		for _, tenants := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/tenants=%d", way, tenants), func(b *testing.B) {
				benchmarkRelay(b, way == "proxy", tenants)
			})
		}
	}
}

func benchmarkRelay(b *testing.B, isProxied bool, tenants int) {
	contract := contractOf(1000, 1<<40)
	contract.Tenants = nil
	for n := range tenants {
		contract.Tenants = append(contract.Tenants, fmt.Sprintf("t%d", n+1))
	}
	address := postgrestest.Database(b, "schema.sql")
	if isProxied {
		address = throughProxy(b, address)
	}
	sink := newSink(b)
	sink.alone(func() {
		sink.next = func(item string) reply { return reply{acks: []string{item}} }
	})
	var next atomic.Int64
	var group errgroup.Group
	b.ResetTimer()
	for _, tenant := range contract.Tenants {
		group.Go(func() error {
			session := relay.NewSession(address)
			defer session.Close(context.Background())
			return carry(b, session, sink, contract, tenant, &next)
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	if len(sink.said) != b.N {
		b.Fatalf("%d of %d events were acked", len(sink.said), b.N)
	}
}

// carry is one relay at work, until all events of the benchmark have been taken.
func carry(
	b *testing.B, session *relay.Session, sink *sink, contract *relay.Contract, tenant string,
	next *atomic.Int64,
) error {
	intake, err := relay.OpenIntake(b.Context(), session, contract)
	if err != nil {
		return err
	}
	target, err := relay.NewSink(sink.server.URL, 0)
	if err != nil {
		return err
	}
	courier, err := relay.NewCourier(session, target, relay.Settings{
		Timeout: timeout, Redelivery: redelivery, ParkAfter: parkAfter,
	})
	if err != nil {
		return err
	}
	for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
		admission, err := intake.Push(b.Context(), []byte(body(tenant, int(n), "price")))
		if err != nil || admission.Refused != "" {
			return fmt.Errorf("push: %v, %w", admission, err)
		}
		if delivery, err := courier.RunOnce(b.Context()); err != nil || delivery.Problem != "" {
			return fmt.Errorf("deliver: %v, %w", delivery, err)
		}
	}
	// What another relay claimed first is still to do.
	for {
		delivery, err := courier.RunOnce(b.Context())
		if err != nil || delivery.Item == "" {
			return err
		}
	}
}

// nothingIsHeld is a policy that stops nothing.
type nothingIsHeld struct{}

// Decide lets every event pass.
func (nothingIsHeld) Decide(event.Event) *gate.Hold { return nil }

// throughProxy is the database's URL with the proxy in between.
func throughProxy(b *testing.B, address string) string {
	b.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		b.Fatal(err)
	}
	folder, port := parsed.Query().Get("host"), parsed.Query().Get("port")
	if port == "" {
		port = "5432"
	}
	listener, err := wire.Listen(context.Background(), wire.Config{
		Worker: "bench", Incarnation: 1, Database: "main", Gate: gate.New(nothingIsHeld{}),
		Dial: func(ctx context.Context) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", folder+"/.s.PGSQL."+port)
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = listener.Close(context.Background()) })
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", parsed.User.Username(),
		listener.Addr(), strings.TrimPrefix(parsed.Path, "/"))
}
