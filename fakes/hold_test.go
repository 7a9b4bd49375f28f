package fakes_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"lostreply/fakes"
	"lostreply/harness/event"
	"lostreply/harness/gate"
)

func TestAHoldStopsARequestBeforeAndAfterAcceptance(t *testing.T) {
	for _, phase := range event.Phases() {
		policy := newHoldAt("push", phase)
		s := newStand(t, "push", push(), anything(), policy)
		call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
		s.reached(policy.hold)
		record := s.only()
		if record.Accepted != (phase == event.Response) || record.Outcome != fakes.OutcomePending {
			t.Errorf("held at %s: %+v", phase, record)
		}
		s.resolve(policy.hold, gate.Pass)
		s.carried(policy.hold) // then it is in the journal, whether its caller knows or not
		record = s.only()
		if !record.Accepted || phase == event.Response && record.Outcome != fakes.OutcomeAnswered {
			t.Errorf("released at %s: %+v", phase, record)
		}
		expectAnswer(t, call.end(), 200, `{"id":"push-msg-0001","replayed":false}`)

		if history := historyOf(s); history != "a.1 call request push#1 (POST /send) key=k\n"+
			"a.1 call response push#1 (POST /send) key=k" {
			t.Errorf("history:\n%s", history)
		}
	}
}

func historyOf(s *stand) string {
	var lines []string
	for _, e := range s.gate.History() {
		lines = append(lines, e.String())
	}
	return strings.Join(lines, "\n")
}

func TestAHoldOnRequestsLeavesQueriesAlone(t *testing.T) {
	policy := newHoldAt("sms", event.Request)
	s := newStand(t, "sms", sms(), anything(), policy)
	expectAnswer(t, s.query("task-1"), 200, `{"ref":"task-1","count":0,"ids":[]}`)
	call := s.begin("POST", "/send", `{"ref":"task-1"}`)
	s.reached(policy.hold)
	// Another call of the same worker goes on meanwhile.
	expectAnswer(t, s.sendRef("task-2"), 200, `{"id":"sms-msg-0001","replayed":false}`)
	s.resolve(policy.hold, gate.Pass)
	expectAnswer(t, call.end(), 200, `{"id":"sms-msg-0002","replayed":false}`)
}

func TestAQueryIsHeldUnderItsOwnName(t *testing.T) {
	policy := newHoldAt("sms.query", event.Response)
	s := newStand(t, "sms", sms(), anything(), policy)
	call := s.begin("GET", "/messages?ref=task-1", "")
	s.reached(policy.hold)
	// What it found was found before the hold: the query is done, the worker not told.
	s.sendRef("task-1")
	s.resolve(policy.hold, gate.Pass)
	expectAnswer(t, call.end(), 200, `{"ref":"task-1","count":0,"ids":[]}`)
}

func TestSeverEndsTheConnectionWithoutAnAnswer(t *testing.T) {
	for _, phase := range event.Phases() {
		policy := newHoldAt("push", phase)
		s := newStand(t, "push", push(), anything(), policy)
		call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
		s.reached(policy.hold)
		s.resolve(policy.hold, gate.Sever)
		s.carried(policy.hold)
		if got := call.end(); !errors.Is(got.err, io.EOF) {
			t.Errorf("severed at %s: got %+v", phase, got)
		}
		record := s.only()
		if record.Accepted != (phase == event.Response) || record.Outcome != fakes.OutcomeSevered {
			t.Errorf("severed at %s: %+v", phase, record)
		}
	}
}

func TestABlackHoleIsSilentUntilTheCallerLeaves(t *testing.T) {
	for _, phase := range event.Phases() {
		policy := newHoldAt("push", phase)
		s := newStand(t, "push", push(), anything(), policy)
		call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
		s.reached(policy.hold)
		s.resolve(policy.hold, gate.BlackHole)
		s.carried(policy.hold)
		record := s.only()
		if record.Accepted != (phase == event.Response) || record.Outcome != fakes.OutcomeBlackHoled {
			t.Errorf("black-holed at %s: %+v", phase, record)
		}
		call.leave()
		s.settle()
		if got := s.only(); got != record {
			t.Errorf("the record changed: %+v", got)
		}
	}
}

func TestAnActThatNoChannelCanDoIsSaid(t *testing.T) {
	policy := newHoldAt("push", event.Request)
	s := newStand(t, "push", push(), anything(), policy)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	s.reached(policy.hold)
	s.resolve(policy.hold, gate.Fail)
	if got := call.end(); got.err == nil {
		t.Errorf("got %+v", got)
	}
	if record := s.only(); record.Accepted || record.Outcome != "unsupported act fail" {
		t.Errorf("record %+v", record)
	}
}

func TestACallerThatLeftDoesNotTakeItsRequestBack(t *testing.T) {
	policy := newHoldAt("push", event.Request)
	s := newStand(t, "push", push(), anything(), policy)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	s.reached(policy.hold)
	call.leave()
	if record := s.only(); record.Accepted || record.Outcome != fakes.OutcomePending {
		t.Errorf("while held: %+v", record)
	}
	s.resolve(policy.hold, gate.Pass)
	s.settle()
	if record := s.only(); !record.Accepted || record.Outcome != fakes.OutcomeAnswered {
		t.Errorf("after the release: %+v", record)
	}
}

func TestADeadWorkersHeldRequestIsNotAccepted(t *testing.T) {
	policy := newHoldAt("push", event.Request)
	s := newStand(t, "push", push(), anything(), policy)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	s.reached(policy.hold)
	s.gate.MarkDead("a", 1)
	s.awaitOutcome(fakes.OutcomeAbandoned)
	call.leave() // until it is killed, it is told nothing: not even that its connection ends
	s.settle()
	if record := s.only(); record.Accepted || record.Outcome != fakes.OutcomeAbandoned {
		t.Errorf("record %+v", record)
	}
	// What it still sends is written down, and not accepted either; its next life is another matter.
	late := s.begin("POST", "/send", "{}", "Idempotency-Key", "k2")
	s.await("the late call", func(r fakes.Record) bool {
		return r.Key == "k2" && r.Outcome == fakes.OutcomeAbandoned
	})
	late.leave()
	url, _, err := s.Listen("a", 2)
	if err != nil {
		t.Fatal(err)
	}
	s.url = url
	expectAnswer(t, s.send("k"), 200, `{"id":"push-msg-0001","replayed":false}`)
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 3, Acceptances: 1, Sends: 1})
	if last := s.Journal()[2]; last.Worker != "a" || last.Incarnation != 2 {
		t.Errorf("last record %+v", last)
	}
}

func TestADeadWorkersAcceptedRequestStaysAccepted(t *testing.T) {
	policy := newHoldAt("push", event.Response)
	s := newStand(t, "push", push(), anything(), policy)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	s.reached(policy.hold)
	s.gate.MarkDead("a", 1)
	s.awaitOutcome(fakes.OutcomeAbandoned)
	call.leave() // until it is killed, it is told nothing: not even that its connection ends
	s.settle()
	if record := s.only(); !record.Accepted || record.Outcome != fakes.OutcomeAbandoned {
		t.Errorf("record %+v", record)
	}
}

func TestClosingEndsHeldCallsUnaccepted(t *testing.T) {
	for _, name := range []string{"listener", "channel"} {
		policy := newHoldAt("push", event.Request)
		s := newStand(t, "push", push(), anything(), policy)
		call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
		s.reached(policy.hold)
		if name == "listener" {
			s.close()
		} else {
			s.Close()
		}
		if got := call.end(); got.err == nil || errors.Is(got.err, context.Canceled) {
			t.Errorf("closing the %s: got %+v", name, got)
		}
		if record := s.only(); record.Accepted || record.Outcome != fakes.OutcomeAbandoned {
			t.Errorf("closing the %s: %+v", name, record)
		}
	}
}
