package outbox_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"lostreply/outbox"
)

func TestAMessageGoesAllTheWay(t *testing.T) {
	w := newWorld(t)
	w.accept("1", "25")
	publisher, consumer := w.publisher(), w.consumer()
	w.well(publisher.PublishOnce, outbox.Sent)
	w.well(publisher.PublishOnce, outbox.Nothing)
	w.well(consumer.ConsumeOnce, outbox.Booked)
	w.well(consumer.ConsumeOnce, outbox.Nothing)
	w.receiver.want("SELECT payload FROM inbox", `{"amount":25,"contract":"R1"}`)
	w.receiver.want("SELECT account || ' ' || amount FROM ledger", "contracts 25")
	books := w.audit()
	if !books.AtRest() || books.Balance() != nil || books.Ledger != "25" {
		t.Errorf("books %+v: %v", books, books.Balance())
	}
}

func TestAcceptingAgain(t *testing.T) {
	w := newWorld(t)
	w.accept("1", "25")
	sender := outbox.NewSender(w.sender.session())
	for _, row := range []struct {
		contract outbox.Contract
		want     error
	}{
		{outbox.Contract{ID: "R1", Amount: "25.00", MessageID: "M1"}, nil},
		{outbox.Contract{ID: "R1", Amount: "26", MessageID: "M1"}, outbox.ErrConflict},
		{outbox.Contract{ID: "R1", Amount: "25", MessageID: "M2"}, outbox.ErrConflict},
		{outbox.Contract{ID: "", Amount: "25", MessageID: "M2"}, outbox.ErrInvalid},
		{outbox.Contract{ID: "R2", Amount: "25", MessageID: ""}, outbox.ErrInvalid},
		{outbox.Contract{ID: "R2", Amount: "0.0", MessageID: "M2"}, outbox.ErrInvalid},
		{outbox.Contract{ID: "R2", Amount: "-1", MessageID: "M2"}, outbox.ErrInvalid},
		{outbox.Contract{ID: "R2", Amount: `"1"`, MessageID: "M2"}, outbox.ErrInvalid},
		{outbox.Contract{ID: "R2", Amount: "1,5", MessageID: "M2"}, outbox.ErrInvalid},
	} {
		created, err := sender.Accept(t.Context(), row.contract)
		if created || !errors.Is(err, row.want) || (err != nil) != (row.want != nil) {
			t.Errorf("%+v: created %t, %v; want %v", row.contract, created, err, row.want)
		}
	}
	// A message id that another contract has: neither row may be left.
	_, err := sender.Accept(t.Context(), outbox.Contract{ID: "R3", Amount: "1", MessageID: "M1"})
	if err == nil {
		t.Error("one message id for two contracts")
	}
	w.sender.want("SELECT id FROM contract", "R1")
	w.sender.want("SELECT amount FROM outbox", "25")
}

func TestADeliveryIsKnownInAnySpelling(t *testing.T) {
	w := newWorld(t)
	consumer := w.consumer()
	w.deliver("M1", `{"contract": "R1", "amount": 25}`)
	w.well(consumer.ConsumeOnce, outbox.Booked)
	w.deliver("M1", `{"amount": 2.50e1, "contract": "\u00521"}`)
	w.well(consumer.ConsumeOnce, outbox.Duplicate)
	w.receiver.want("SELECT amount FROM ledger", "25")
	w.queue.want("SELECT count(acked_at) FROM delivery", "2")
}

func TestAConflictIsBuriedAtOnce(t *testing.T) {
	w := newWorld(t)
	consumer := w.consumer()
	w.deliver("M1", `{"contract": "R1", "amount": 25}`)
	w.deliver("M1", `{"contract": "R1", "amount": 99}`)
	w.deliver("M2", `{"contract": "R2", "amount": 1}`)
	w.well(consumer.ConsumeOnce, outbox.Booked)
	err := w.do(consumer.ConsumeOnce, outbox.Conflict)
	if !errors.Is(err, outbox.ErrConflict) || !strings.Contains(err.Error(), "message M1") {
		t.Errorf("error %v", err)
	}
	w.well(consumer.ConsumeOnce, outbox.Booked)
	w.well(consumer.ConsumeOnce, outbox.Nothing)
	w.receiver.want("SELECT amount FROM ledger", "26")
	w.queue.want("SELECT reason || ' ' || delivery_id || ' ' || failures FROM dead_letter",
		"CONFLICT 2 0")
	if books := w.audit(); books.Conflicts != 1 || books.Dead != 1 || books.Balance() != nil {
		t.Errorf("books %+v: %v", books, books.Balance())
	}
}

func TestWhatNobodyCanReadIsBuriedAtOnce(t *testing.T) {
	w := newWorld(t)
	consumer := w.consumer()
	payloads := []string{
		"twenty-five", `[]`, `{}`, `{"contract": "R1"}`, `{"amount": 25}`,
		`{"contract": "R1", "amount": "25"}`, `{"contract": 1, "amount": 25}`,
		`{"contract": "R1", "Amount": 25}`, `{"contract": "R1", "amount": null}`,
		`{"contract": "R1", "amount": 25, "amount": 25}`,
	}
	for _, payload := range payloads {
		w.deliver("M1", payload)
		if err := w.do(consumer.ConsumeOnce, outbox.Buried); !errors.Is(err, outbox.ErrUnreadable) {
			t.Errorf("%s: %v", payload, err)
		}
	}
	w.receiver.want("SELECT msg_id FROM inbox")
	w.queue.want("SELECT count(*) FROM dead_letter WHERE reason = 'UNREADABLE'", "10")
}

// A receiver that refuses makes a delivery rest longer each time, then bury it; sent again it is
// booked, and the letter stays on record.
func TestFailuresRestAreBuriedAndAreSentAgain(t *testing.T) {
	w := newWorld(t)
	consumer := w.consumer()
	w.deliver("M1", `{"contract": "R1", "amount": 25}`)
	w.receiver.exec("ALTER TABLE ledger ADD CONSTRAINT closed CHECK (amount < 0)")
	rest := "SELECT round(extract(epoch FROM next_attempt_at - now()) / 3600) FROM delivery"
	for _, hours := range []string{"1", "2"} {
		if err := w.do(consumer.ConsumeOnce, outbox.PutOff); err == nil {
			t.Error("a failure without an error")
		}
		w.queue.want(rest, hours)
		w.well(consumer.ConsumeOnce, outbox.Nothing)
		w.queue.exec("UPDATE delivery SET next_attempt_at = now()")
	}
	if err := w.do(consumer.ConsumeOnce, outbox.Buried); err == nil {
		t.Error("a burial without an error")
	}
	w.well(consumer.ConsumeOnce, outbox.Nothing)
	w.queue.want("SELECT reason || ' ' || failures || ' ' || (error LIKE '%closed%') FROM dead_letter",
		"FAILURES 3 true")

	w.receiver.exec("ALTER TABLE ledger DROP CONSTRAINT closed")
	queue := outbox.NewQueue(w.queue.session())
	redriven, err := queue.Redrive(t.Context(), 0)
	if err != nil || len(redriven) != 1 || redriven[0] != (outbox.Redriven{1, "M1", 2}) {
		t.Errorf("redriven %+v, %v", redriven, err)
	}
	if again, err := queue.Redrive(t.Context(), 1); err != nil || len(again) != 0 {
		t.Errorf("redriven again %+v, %v", again, err)
	}
	w.well(consumer.ConsumeOnce, outbox.Booked)
	w.queue.want("SELECT redriven_as FROM dead_letter", "2")
	w.receiver.want("SELECT amount FROM ledger", "25")
}

func TestTheLongestRest(t *testing.T) {
	w := newWorld(t)
	w.accept("1", "25")
	publisher := w.publisher()
	w.queue.exec("ALTER TABLE delivery ADD CONSTRAINT full_up CHECK (delivery_id < 0)")
	for _, hours := range []string{"1", "2", "3", "3"} {
		if err := w.do(publisher.PublishOnce, outbox.PutOff); err == nil {
			t.Error("a failure without an error")
		}
		w.sender.want("SELECT round(extract(epoch FROM next_attempt_at - now()) / 3600) FROM outbox",
			hours)
		w.sender.exec("UPDATE outbox SET next_attempt_at = now()")
	}
	w.queue.exec("ALTER TABLE delivery DROP CONSTRAINT full_up")
	w.well(publisher.PublishOnce, outbox.Sent)
	w.sender.want("SELECT failures || ' ' || coalesce(last_error, 'none') FROM outbox", "4 none")
}

func TestPurge(t *testing.T) {
	w := newWorld(t)
	consumer := w.consumer()
	w.deliver("M1", `{"contract": "R1", "amount": 25}`)
	w.well(consumer.ConsumeOnce, outbox.Booked)
	inbox := outbox.NewInbox(w.receiver.session(), "contracts")
	for _, row := range []struct {
		retention time.Duration
		purged    int64
	}{{time.Hour, 0}, {0, 1}, {0, 0}} {
		purged, err := inbox.Purge(t.Context(), row.retention)
		if err != nil || purged != row.purged {
			t.Errorf("retention %s: purged %d, %v; want %d", row.retention, purged, err, row.purged)
		}
	}
	if _, err := inbox.Purge(t.Context(), -time.Second); !errors.Is(err, outbox.ErrInvalid) {
		t.Errorf("a retention below 0: %v", err)
	}
	w.deliver("M1", `{"contract": "R1", "amount": 25}`)
	w.well(consumer.ConsumeOnce, outbox.Booked)
	if err := w.audit().Balance(); !errors.Is(err, outbox.ErrOutOfBalance) {
		t.Errorf("booked twice after the purge, and the books say %v", err)
	}
}

func TestBooksThatDisagree(t *testing.T) {
	w := newWorld(t)
	w.accept("1", "25")
	if err := w.audit().Balance(); err != nil {
		t.Errorf("a message that is still unsent: %v", err)
	}
	w.sender.exec("UPDATE outbox SET sent_at = now()")
	err := w.audit().Balance()
	if !errors.Is(err, outbox.ErrOutOfBalance) ||
		!strings.Contains(err.Error(), "never delivered: M1") {
		t.Errorf("marked sent without a delivery: %v", err)
	}
}

func TestUnusableSettings(t *testing.T) {
	w := newWorld(t)
	for _, change := range []func(*outbox.Settings){
		func(s *outbox.Settings) { s.Timeout = 0 },
		func(s *outbox.Settings) { s.RetryDelay = 0 },
		func(s *outbox.Settings) { s.MaxDelay = s.RetryDelay - 1 },
		func(s *outbox.Settings) { s.MaxFailures = 0 },
	} {
		settings := w.settings()
		change(&settings)
		_, consuming := outbox.NewConsumer(nil, nil, settings)
		_, publishing := outbox.NewPublisher(nil, nil, settings)
		if !errors.Is(consuming, outbox.ErrSettings) || !errors.Is(publishing, outbox.ErrSettings) {
			t.Errorf("%+v: %v, %v", settings, consuming, publishing)
		}
	}
}

// Several of each role at once: nothing is lost, nothing is booked twice, and nothing is even sent
// twice, as nobody crashed.
func TestManySideBySide(t *testing.T) {
	w := newWorld(t)
	w.sender.exec("INSERT INTO contract SELECT 'R' || n, 25 FROM generate_series(1, 20) AS n")
	w.sender.exec(`INSERT INTO outbox (msg_id, contract_id, amount)
		SELECT 'M' || n, 'R' || n, 25 FROM generate_series(1, 20) AS n`)
	var roles []step
	for range 3 {
		roles = append(roles, w.publisher().PublishOnce)
	}
	drainTogether(t, roles)
	w.queue.want("SELECT count(*) || ' ' || count(DISTINCT msg_id) FROM delivery", "20 20")
	w.queue.exec("INSERT INTO delivery (msg_id, payload) SELECT msg_id, payload FROM delivery")
	roles = nil
	for range 3 {
		consumer, err := outbox.NewConsumer(outbox.NewQueue(w.queue.session()),
			outbox.NewInbox(w.receiver.session(), "contracts"), w.settings())
		if err != nil {
			t.Fatal(err)
		}
		roles = append(roles, consumer.ConsumeOnce)
	}
	drainTogether(t, roles)
	books := w.audit()
	if books.Ledger != "500" || books.Inbox != 20 || books.Acked != 40 || books.Balance() != nil {
		t.Errorf("books %+v: %v", books, books.Balance())
	}
}

func drainTogether(t *testing.T, roles []step) {
	t.Helper()
	var group sync.WaitGroup
	for _, once := range roles {
		group.Go(func() {
			for {
				result, err := once(t.Context())
				if err != nil {
					t.Error(err)
				}
				if err != nil || result == outbox.Nothing {
					return
				}
			}
		})
	}
	group.Wait()
}

// A receiver that does not answer holds a consumer no longer than its timeout, and the delivery not
// for ever.
func TestAReceiverThatDoesNotAnswer(t *testing.T) {
	w := newWorld(t)
	settings := w.settings()
	settings.Timeout = 3 * time.Second
	consumer, err := outbox.NewConsumer(outbox.NewQueue(w.queue.session()),
		outbox.NewInbox(w.receiver.session(), "contracts"), settings)
	if err != nil {
		t.Fatal(err)
	}
	w.deliver("M1", `{"contract": "R1", "amount": 25}`)
	w.well(consumer.ConsumeOnce, outbox.Booked) // opens its connections
	w.deliver("M2", `{"contract": "R2", "amount": 25}`)
	w.receiver.exec("BEGIN")
	w.receiver.exec("LOCK TABLE inbox")
	if err := w.do(consumer.ConsumeOnce, outbox.PutOff); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a receiver that does not answer: %v", err)
	}
	w.receiver.exec("ROLLBACK")
	w.queue.want("SELECT failures FROM delivery ORDER BY delivery_id", "0", "1")
	w.queue.exec("UPDATE delivery SET next_attempt_at = now()")
	w.well(consumer.ConsumeOnce, outbox.Booked)
}
