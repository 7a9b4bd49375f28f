package dispatcher_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/dispatcher"
	"lostreply/harness/postgres/postgrestest"
)

// world is one test's database and its two channels, each a real HTTP server.
type world struct {
	t         *testing.T
	url       string
	sql       *pgx.Conn
	push, sms *channel
	fax       *channel
	contracts []dispatcher.Contract
}

// newWorld makes a database in which user u1 has push and sms enabled as the test says.
func newWorld(t *testing.T, enabled ...string) *world {
	t.Helper()
	url := postgrestest.Database(t, "schema.sql")
	w := &world{t: t, url: url, sql: postgrestest.Connect(t, url)}
	w.push, w.sms, w.fax = newChannel(t), newChannel(t), newChannel(t)
	fax := dispatcher.Contract{Channel: "fax", Mode: dispatcher.Neither, URL: w.fax.url}
	w.contracts = []dispatcher.Contract{
		dispatcher.Push(w.push.url), dispatcher.SMS(w.sms.url), fax,
	}
	for _, name := range enabled {
		w.exec("INSERT INTO channel_pref (user_id, channel, address) VALUES ('u1', $1, $1 || '-1')",
			name)
	}
	return w
}

func (w *world) exec(statement string, arguments ...any) {
	w.t.Helper()
	if _, err := w.sql.Exec(context.Background(), statement, arguments...); err != nil {
		w.t.Fatalf("%s: %v", statement, err)
	}
}

// session is a connection of its own.
func (w *world) session() *dispatcher.Session {
	session := dispatcher.NewSession(w.url)
	w.t.Cleanup(func() { _ = session.Close(context.Background()) })
	return session
}

// create writes one notification with the budget given and a ttl of a day.
func (w *world) create(event string, attempts int) dispatcher.Creation {
	w.t.Helper()
	creation, err := dispatcher.NewNotifier(w.session()).Create(
		w.t.Context(), "u1", event, "body", 24*time.Hour, attempts)
	if err != nil {
		w.t.Fatal(err)
	}
	return creation
}

// worker is a worker with times so generous that none runs out while a test runs, however slowly;
// age makes them run out.
func (w *world) worker(name string, changes ...func(*dispatcher.Settings)) *dispatcher.Dispatcher {
	w.t.Helper()
	return w.workerOn(w.session(), name, changes...)
}

func (w *world) workerOn(
	database dispatcher.Database, name string, changes ...func(*dispatcher.Settings),
) *dispatcher.Dispatcher {
	w.t.Helper()
	settings := dispatcher.Settings{
		Name: name, Lease: time.Minute, Timeout: 30 * time.Second, RetryDelay: time.Minute,
	}
	for _, change := range changes {
		change(&settings)
	}
	worker, err := dispatcher.New(database, w.contracts, settings)
	if err != nil {
		w.t.Fatal(err)
	}
	return worker
}

// impatient is for calls that are never answered, and for no others.
func impatient(settings *dispatcher.Settings) { settings.Timeout = 400 * time.Millisecond }

// run does one RunOnce and wants its result.
func (w *world) run(worker *dispatcher.Dispatcher, want dispatcher.Result) {
	w.t.Helper()
	got, err := worker.RunOnce(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if got != want {
		w.t.Errorf("RunOnce: %s, want %s", got, want)
	}
}

// age moves everything on record into the past, as if that much time went by.
func (w *world) age(by time.Duration) {
	w.t.Helper()
	seconds := by.Seconds()
	w.exec(`UPDATE delivery_task SET lease_until = lease_until - make_interval(secs => $1),
		next_attempt_at = next_attempt_at - make_interval(secs => $1)`, seconds)
	w.exec(`UPDATE delivery_attempt SET started_at = started_at - make_interval(secs => $1),
		finished_at = finished_at - make_interval(secs => $1)`, seconds)
	w.exec("UPDATE notification SET expires_at = expires_at - make_interval(secs => $1)", seconds)
}

// want compares one column, read as text (NULL is "null"), with what is expected.
func (w *world) want(query string, expected ...string) {
	w.t.Helper()
	rows, err := w.sql.Query(context.Background(),
		"SELECT coalesce(value::text, 'null') FROM ("+query+") AS of (value)")
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	if !slices.Equal(got, expected) {
		w.t.Errorf("%s:\n got %v\nwant %v", query, got, expected)
	}
}

// wantTask compares the only task's state, and whether it is parked and scheduled.
func (w *world) wantTask(state string, parked, scheduled bool) {
	w.t.Helper()
	w.want(`SELECT state || ' parked=' || needs_review || ' scheduled=' ||
		(next_attempt_at IS NOT NULL) || ' held=' || (lease_owner IS NOT NULL)
		FROM delivery_task`,
		fmt.Sprintf("%s parked=%t scheduled=%t held=false", state, parked, scheduled))
}

// wantOutcomes compares the outcomes of all attempts, in order.
func (w *world) wantOutcomes(expected ...string) {
	w.t.Helper()
	w.want("SELECT outcome FROM delivery_attempt ORDER BY id", expected...)
}

// reply answers one call of a channel.
type reply func(http.ResponseWriter, *http.Request, string)

// channel plays an outside party by a script: one reply for each call, in order.
type channel struct {
	url    string
	mutex  sync.Mutex
	script []reply
	calls  []string // "POST ntf-task-1 to=push-1" or "GET task-1"
}

func newChannel(t *testing.T) *channel {
	c := &channel{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next, ref := c.admit(r)
		if next == nil {
			t.Errorf("unexpected call: %s %s", r.Method, r.URL)
			next = status(http.StatusTeapot)
		}
		next(w, r, ref)
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *channel) plays(script ...reply) { c.script = append(c.script, script...) }

func (c *channel) admit(r *http.Request) (reply, string) {
	var message struct{ Ref, To, Body string }
	line := r.Method + " " + r.URL.Query().Get("ref")
	if r.Method == http.MethodPost {
		_ = json.NewDecoder(r.Body).Decode(&message)
		line = r.Method + " " + r.Header.Get("Idempotency-Key") + " to=" + message.To
	} else {
		message.Ref = r.URL.Query().Get("ref")
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.calls = append(c.calls, line)
	if len(c.script) == 0 {
		return nil, message.Ref
	}
	next := c.script[0]
	c.script = c.script[1:]
	return next, message.Ref
}

func (w *world) wantCalls(c *channel, expected ...string) {
	w.t.Helper()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !slices.Equal(c.calls, expected) {
		w.t.Errorf("calls:\n got %v\nwant %v", c.calls, expected)
	}
}

func text(code int, body string, arguments ...any) reply {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(code)
		fmt.Fprintf(w, body, arguments...)
	}
}

func status(code int) reply { return text(code, "") }

func accepts(id string) reply { return text(200, `{"id": %q, "replayed": false}`, id) }

func replays(id string) reply { return text(200, `{"id": %q, "replayed": true}`, id) }

// hangs never answers; the caller goes away.
func hangs(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() }

func found(ids ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request, ref string) {
		_ = json.NewEncoder(w).Encode(map[string]any{"ref": ref, "count": len(ids), "ids": ids})
	}
}

// meanwhile does something before it answers.
func meanwhile(do func(), then reply) reply {
	return func(w http.ResponseWriter, r *http.Request, ref string) {
		do()
		then(w, r, ref)
	}
}
