package fakes_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"lostreply/fakes"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// logged is what the tests look at in the log.
type logged struct {
	Channel string
	Records []struct {
		Key, Outcome string
		Answer       *string
		Accepted     bool
	}
}

func readLog(t *testing.T, s *stand) logged {
	t.Helper()
	got := s.call("GET", "/log", "")
	if got.err != nil || got.status != http.StatusOK {
		t.Fatalf("log: %+v", got)
	}
	var log logged
	if err := json.Unmarshal([]byte(got.body), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestTheLogIsTheJournalAndNoPartOfIt(t *testing.T) {
	contract := push()
	contract.Log = &scenario.Log{Path: "/log"}
	s := newStand(t, "push", contract, []scenario.Entry{
		{Request: 1},
		{Request: 2, Accept: pointer(false), Reply: answering(
			scenario.ScriptedAnswer{Status: 422, Body: pointer("no")})},
		{Request: 3, Reply: &scenario.Reply{Silence: scenario.Reset}},
	}, nil)
	if log := readLog(t, s); log.Channel != "push" || log.Records == nil || len(log.Records) != 0 {
		t.Errorf("log before any call: %+v", log)
	}
	s.send("k1")
	s.send("k2")
	s.send("k3")
	log := readLog(t, s)
	if len(log.Records) != 3 {
		t.Fatalf("log: %+v", log)
	}
	first, second, third := log.Records[0], log.Records[1], log.Records[2]
	if first.Key != "k1" || !first.Accepted || first.Outcome != fakes.OutcomeAnswered ||
		*first.Answer != `{"id":"push-msg-0001","replayed":false}` {
		t.Errorf("first record: %+v", first)
	}
	if second.Accepted || *second.Answer != "no" {
		t.Errorf("second record: %+v", second)
	}
	if !third.Accepted || third.Answer != nil || third.Outcome != fakes.OutcomeReset {
		t.Errorf("third record: %+v", third)
	}
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 3, Acceptances: 2, Sends: 2})
}

// An answer that got lost on its way was said all the same.
func TestAnAnswerIsInTheJournalBeforeItIsSent(t *testing.T) {
	hold := newHoldAt("push", event.Response)
	s := newStand(t, "push", push(), anything(), hold)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k1")
	s.reached(hold.hold)
	if got := s.Journal()[0].Answer; got != `{"id":"push-msg-0001","replayed":false}` {
		t.Errorf("answer while held: %q", got)
	}
	s.resolve(hold.hold, gate.Sever)
	if got := call.end(); got.err == nil {
		t.Errorf("the caller got %+v", got)
	}
	record := s.Journal()[0]
	if record.Answer == "" || record.Outcome != fakes.OutcomeSevered || record.Status != 0 {
		t.Errorf("record: %+v", record)
	}
}

func TestAContractWithoutALogHasNone(t *testing.T) {
	s := newStand(t, "push", push(), anything(), nil)
	if got := s.call("GET", "/log", ""); got.status == http.StatusOK {
		t.Errorf("log of a contract that has none: %+v", got)
	}
	expectTotals(t, s.Totals(), fakes.Totals{Strays: 1, Violations: 1})
}
