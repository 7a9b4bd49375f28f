package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/clock"
	"lostreply/harness/postgres/postgrestest"
	"lostreply/relay"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

const (
	timeout    = 10 * time.Second
	redelivery = time.Hour
	parkAfter  = 2
)

// world is one database, one sink, and a relay that can be started anew.
type world struct {
	t        testing.TB
	url      string
	sql      *pgx.Conn
	sink     *sink
	contract *relay.Contract
	session  *crashing
	intake   *relay.Intake
	courier  *relay.Courier
}

func newWorld(t testing.TB, contract *relay.Contract) *world {
	t.Helper()
	w := &world{t: t, url: postgrestest.Database(t, "schema.sql"), contract: contract}
	w.sql = postgrestest.Connect(t, w.url)
	w.sink = newSink(t)
	w.restart()
	return w
}

func contractOf(limit, capacity int64) *relay.Contract {
	return &relay.Contract{
		UnackedLimit: limit, QueueMaxBytes: 1, QueueSizeBytes: capacity,
		FieldPrefixes: []string{"evt_", "tenant_", "seq_"}, CoreVersion: "2.0",
		Tenants: []string{"t1", "t2", "t3", "t4"},
	}
}

// restart forgets everything that the relay has in memory.
func (w *world) restart() {
	w.t.Helper()
	if w.session != nil {
		w.session.abandon()
	}
	w.session = &crashing{Session: relay.NewSession(w.url)}
	w.t.Cleanup(w.session.abandon)
	var err error
	if w.intake, err = relay.OpenIntake(context.Background(), w.session, w.contract); err != nil {
		w.t.Fatal(err)
	}
	sink, err := relay.NewSink(w.sink.server.URL, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	w.courier, err = relay.NewCourier(w.session, sink, relay.Settings{
		Timeout: timeout, Redelivery: redelivery, ParkAfter: parkAfter,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// body is an event of a tenant.
func body(tenant string, seq int, change string) string {
	return fmt.Sprintf(`{"evt_id":"e-%s-%d","tenant_id":"%s","seq_no":%d,"core_version":"2.0",`+
		`"change":"%s"}`, tenant, seq, tenant, seq, change)
}

func (w *world) push(event string) relay.Admission {
	w.t.Helper()
	admission, err := w.intake.Push(context.Background(), []byte(event))
	if err != nil {
		w.t.Fatal(err)
	}
	return admission
}

// column reads one column, as text.
func (w *world) column(query string) []string {
	w.t.Helper()
	rows, err := w.sql.Query(context.Background(), query)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return values
}

// errCrash is what is left of a relay that died: nobody hears it.
var errCrash = errors.New("the relay died here")

// crashing is a session whose nth COMMIT from now on is not sent, or is done and not heard of.
type crashing struct {
	*relay.Session
	at    int // the commit to die at, from 1; 0 for none
	heard bool
	done  bool // it has died
}

func (c *crashing) abandon() { _ = c.Session.Close(context.Background()) }

// BeginTx hands out transactions whose commits are counted.
func (c *crashing) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	if c.done {
		return nil, errCrash
	}
	tx, err := c.Session.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return &mortal{tx, c}, nil
}

type mortal struct {
	pgx.Tx
	session *crashing
}

// Commit commits, unless the relay dies.
func (m *mortal) Commit(ctx context.Context) error {
	c := m.session
	if c.at == 0 {
		return m.Tx.Commit(ctx)
	}
	if c.at--; c.at > 0 {
		return m.Tx.Commit(ctx)
	}
	c.done = true
	if c.heard {
		if err := m.Tx.Commit(ctx); err != nil {
			return err
		}
	}
	return errCrash
}

// reply is what the sink does with one call.
type reply struct {
	acks   []string // the items that its answer acknowledges
	status int      // when not 0, a refusal
	lost   bool     // the answer breaks off after the sink has noted what it says
}

// sink is a receiver over HTTP, played by the test: it notes each delivery and what it said.
type sink struct {
	server *httptest.Server

	mutex     sync.Mutex
	next      func(item string) reply
	delivered []string
	said      map[string]bool // items acknowledged in answers that were sent whole
	lost      map[string]bool // items acknowledged in answers that broke off
}

func newSink(t testing.TB) *sink {
	t.Helper()
	s := &sink{said: map[string]bool{}, lost: map[string]bool{}}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

// alone does something with what the sink uses, while no call is being answered. That a call has
// been heard of is no order of memory: the race detector does not look into sockets.
func (s *sink) alone(do func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	do()
}

// ServeHTTP is one call of the relay.
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	item := r.Header.Get("Item-Id")
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if r.Method == http.MethodPost {
		s.delivered = append(s.delivered, item)
	}
	says := s.next(item)
	if says.status != 0 {
		w.WriteHeader(says.status)
		return
	}
	where := s.said
	if says.lost {
		where = s.lost
		w.Header().Set("Content-Length", "1000")
	}
	for _, id := range says.acks {
		where[id] = true
	}
	_ = json.NewEncoder(w).Encode(map[string][]string{"acks": append([]string{}, says.acks...)})
	if says.lost {
		panic(http.ErrAbortHandler)
	}
}

// advance moves the database's clock, and a little more, so that what was to rest so long is due.
func (w *world) advance(by time.Duration) {
	w.t.Helper()
	if err := clock.Advance(context.Background(), w.sql, by+time.Second); err != nil {
		w.t.Fatal(err)
	}
}
