package outbox_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/postgres/postgrestest"
	"lostreply/outbox"
)

// world is one test's three databases.
type world struct {
	t                       *testing.T
	sender, queue, receiver database
	said                    bytes.Buffer
}

// database is one of them, with a connection of the test's own.
type database struct {
	t   *testing.T
	url string
	sql *pgx.Conn
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{
		t: t, sender: newDatabase(t, "sender"), queue: newDatabase(t, "queue"),
		receiver: newDatabase(t, "receiver"),
	}
}

func newDatabase(t *testing.T, name string) database {
	t.Helper()
	url := postgrestest.Database(t, "schema/"+name+".sql")
	return database{t: t, url: url, sql: postgrestest.Connect(t, url)}
}

// session is a connection of its own.
func (d database) session() *outbox.Session {
	session := outbox.NewSession(d.url)
	d.t.Cleanup(func() { _ = session.Close(context.Background()) })
	return session
}

func (d database) exec(statement string, arguments ...any) {
	d.t.Helper()
	if _, err := d.sql.Exec(context.Background(), statement, arguments...); err != nil {
		d.t.Fatalf("%s: %v", statement, err)
	}
}

// want compares one column, read as text (NULL is "null"), with what is expected.
func (d database) want(query string, expected ...string) {
	d.t.Helper()
	rows, err := d.sql.Query(context.Background(),
		"SELECT coalesce(value::text, 'null') FROM ("+query+") AS of (value)")
	if err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	if !slices.Equal(got, expected) {
		d.t.Errorf("%s:\n got %v\nwant %v", query, got, expected)
	}
}

func (w *world) settings() outbox.Settings {
	return outbox.Settings{
		Timeout: time.Minute, RetryDelay: time.Hour, MaxDelay: 3 * time.Hour, MaxFailures: 3,
	}
}

// accept writes contract R with the amount, and message M.
func (w *world) accept(number, amount string) {
	w.t.Helper()
	created, err := outbox.NewSender(w.sender.session()).Accept(w.t.Context(), outbox.Contract{
		ID: "R" + number, Amount: amount, MessageID: "M" + number,
	})
	if err != nil || !created {
		w.t.Fatalf("accept R%s: created %t, %v", number, created, err)
	}
}

// deliver puts a payload into the queue under a message id.
func (w *world) deliver(id, payload string) {
	w.t.Helper()
	message := outbox.Message{ID: id, Payload: payload}
	if _, err := outbox.NewQueue(w.queue.session()).Send(w.t.Context(), message); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) publisher() *outbox.Publisher {
	w.t.Helper()
	publisher, err := outbox.NewPublisher(outbox.NewSender(w.sender.session()),
		outbox.NewQueue(w.queue.session()), w.settings())
	if err != nil {
		w.t.Fatal(err)
	}
	return publisher
}

func (w *world) consumer() *outbox.Consumer {
	w.t.Helper()
	settings := w.settings()
	settings.Output = &w.said
	consumer, err := outbox.NewConsumer(outbox.NewQueue(w.queue.session()),
		outbox.NewInbox(w.receiver.session(), "contracts"), settings)
	if err != nil {
		w.t.Fatal(err)
	}
	return consumer
}

// step is PublishOnce or ConsumeOnce.
type step func(context.Context) (outbox.Result, error)

// do does one step and wants its result; the error is for the caller to judge.
func (w *world) do(once step, want outbox.Result) error {
	w.t.Helper()
	got, err := once(w.t.Context())
	if got != want {
		w.t.Errorf("result %q, want %q (error %v)", got, want, err)
	}
	return err
}

// well does one step that must not fail.
func (w *world) well(once step, want outbox.Result) {
	w.t.Helper()
	if err := w.do(once, want); err != nil {
		w.t.Error(err)
	}
}

// audit reads the books.
func (w *world) audit() outbox.Books {
	w.t.Helper()
	books, err := outbox.Audit(w.t.Context(),
		w.sender.session(), w.queue.session(), w.receiver.session(), "contracts")
	if err != nil {
		w.t.Fatal(err)
	}
	return books
}
