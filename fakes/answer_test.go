package fakes_test

import (
	"fmt"
	"testing"
	"time"

	"lostreply/fakes"
	"lostreply/harness/clock"
	"lostreply/harness/scenario"
)

func expectAnswer(t *testing.T, got result, status int, body string) {
	t.Helper()
	if got.err != nil || got.status != status || got.body != body {
		t.Errorf("got %d %q, error %v; want %d %q", got.status, got.body, got.err, status, body)
	}
}

func expectTotals(t *testing.T, got, want fakes.Totals) {
	t.Helper()
	if got != want {
		t.Errorf("totals\n got %+v\nwant %+v", got, want)
	}
}

func TestPushReplaysAKnownKey(t *testing.T) {
	s := newStand(t, "push", push(), anything(), nil)
	expectAnswer(t, s.send("k1"), 200, `{"id":"push-msg-0001","replayed":false}`)
	expectAnswer(t, s.send("k2"), 200, `{"id":"push-msg-0002","replayed":false}`)
	expectAnswer(t, s.send("k1"), 200, `{"id":"push-msg-0001","replayed":true}`)
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 3, Acceptances: 3, Sends: 2})

	record := s.Journal()[2]
	want := fakes.Record{
		Number: 3, Kind: fakes.RequestRecord, Nth: 3, Worker: "a", Incarnation: 1,
		Method: "POST", Path: "/send", Key: "k1", Body: "{}", Accepted: true, Replayed: true,
		Message: "push-msg-0001", Status: 200, Outcome: fakes.OutcomeAnswered, Entry: 1,
		Answer: `{"id":"push-msg-0001","replayed":true}`,
	}
	if record != want {
		t.Errorf("record\n got %+v\nwant %+v", record, want)
	}
}

func TestSMSSendsAgainAndCanBeAsked(t *testing.T) {
	s := newStand(t, "sms", sms(), anything(), nil)
	expectAnswer(t, s.query("task-1"), 200, `{"ref":"task-1","count":0,"ids":[]}`)
	expectAnswer(t, s.sendRef("task-1"), 200, `{"id":"sms-msg-0001","replayed":false}`)
	expectAnswer(t, s.sendRef("task-2"), 200, `{"id":"sms-msg-0002","replayed":false}`)
	expectAnswer(t, s.sendRef("task-1"), 200, `{"id":"sms-msg-0003","replayed":false}`)
	expectAnswer(t, s.query("task-1"), 200,
		`{"ref":"task-1","count":2,"ids":["sms-msg-0001","sms-msg-0003"]}`)
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 3, Acceptances: 3, Sends: 3, Queries: 2})
	expectTotals(t, s.TotalsFor("task-1"),
		fakes.Totals{Requests: 2, Acceptances: 2, Sends: 2, Queries: 2})
	expectTotals(t, s.TotalsFor("task-9"), fakes.Totals{})
}

func TestAKeyWithoutReplaysIsOnlyDemanded(t *testing.T) {
	contract := push()
	contract.Key.Replays = false
	s := newStand(t, "push", contract, anything(), nil)
	s.send("k1")
	expectAnswer(t, s.send("k1"), 200, `{"id":"push-msg-0002","replayed":false}`)
}

func TestStatusBeforeAndAfterAcceptance(t *testing.T) {
	unavailable := answering(scenario.ScriptedAnswer{
		Status: 503, Headers: map[string]string{"retry-after": "7"},
	})
	script := []scenario.Entry{
		{Request: 1, Accept: pointer(false), Reply: unavailable},
		{Request: 2, Accept: pointer(true), Reply: unavailable},
		{Request: 3},
	}
	s := newStand(t, "push", push(), script, nil)
	for range 2 {
		got := s.send("k1")
		expectAnswer(t, got, 503, `{"error":"Service Unavailable"}`+"\n")
		if after := got.header.Get("Retry-After"); after != "7" {
			t.Errorf("Retry-After is %q", after)
		}
	}
	expectAnswer(t, s.send("k1"), 200, `{"id":"push-msg-0001","replayed":true}`)
	journal := s.Journal()
	if journal[0].Accepted || !journal[1].Accepted || journal[1].Status != 503 {
		t.Errorf("before acceptance: %+v\nafter: %+v", journal[0], journal[1])
	}
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 3, Acceptances: 2, Sends: 1})
}

func TestContractsOwnAnswer(t *testing.T) {
	contract := sms()
	contract.Request.Answer = &scenario.Answer{
		Status: 202, Headers: map[string]string{"Content-Type": "text/plain", "X-Own": "yes"},
		Body: "${id} ${ref}",
	}
	contract.Query.Answer = &scenario.Answer{Body: "${count} of ${ref}: ${ids}"}
	s := newStand(t, "sms", contract, anything(), nil)
	got := s.sendRef("task-1")
	expectAnswer(t, got, 202, "sms-msg-0001 task-1")
	if got.header.Get("Content-Type") != "text/plain" || got.header.Get("X-Own") != "yes" {
		t.Errorf("headers %v", got.header)
	}
	expectAnswer(t, s.query("task-1"), 200, `1 of task-1: ["sms-msg-0001"]`)
}

func TestARefusalHasNothingOfTheContractsAnswerAndALieHasAll(t *testing.T) {
	contract := push()
	contract.Request.Answer = &scenario.Answer{Status: 202, Headers: map[string]string{"X-Own": "yes"}}
	script := []scenario.Entry{
		{Request: 1, Accept: pointer(false), Reply: answering(scenario.ScriptedAnswer{Status: 500})},
		{Request: 2, Accept: pointer(false),
			Reply: answering(scenario.ScriptedAnswer{Body: pointer("accepted, trust me")})},
	}
	s := newStand(t, "push", contract, script, nil)
	refused, lied := s.send("k"), s.send("k")
	expectAnswer(t, refused, 500, `{"error":"Internal Server Error"}`+"\n")
	expectAnswer(t, lied, 202, "accepted, trust me")
	if refused.header.Get("X-Own") != "" || lied.header.Get("X-Own") != "yes" {
		t.Errorf("headers of a refusal %v, of a lie %v", refused.header, lied.header)
	}
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 2})
}

func TestScriptsChooseByKeyAndRef(t *testing.T) {
	contract := sms()
	contract.Key = &scenario.Key{Header: "Idempotency-Key"}
	named := func(body string) *scenario.Reply {
		return answering(scenario.ScriptedAnswer{Body: pointer(body)})
	}
	script := []scenario.Entry{
		{Request: 2, Key: "k1", Ref: "r1", Reply: named("2nd of k1 and r1")},
		{Request: 2, Key: "k1", Reply: named("2nd of k1")},
		{Request: 5, Reply: named("5th of all")},
		{Key: "k2", Reply: named("k2")},
		{Ref: "r1", Reply: named("r1")},
		{Otherwise: "any", Reply: named("otherwise")},
	}
	s := newStand(t, "sms", contract, script, nil)
	for i, step := range []struct{ key, ref, want string }{
		{"k1", "r1", "r1"}, {"k1", "r2", "2nd of k1"}, {"k1", "r1", "2nd of k1 and r1"},
		{"k2", "r1", "k2"}, {"k2", "r9", "5th of all"}, {"k3", "r3", "otherwise"},
	} {
		got := s.call("POST", "/send", `{"ref":"`+step.ref+`"}`, "Idempotency-Key", step.key)
		if got.body != step.want {
			t.Errorf("request %d (%s %s) met %q, want %q", i+1, step.key, step.ref, got.body, step.want)
		}
	}
	if got := s.query("r1"); got.body != "r1" {
		t.Errorf("a query about r1 met %q", got.body)
	}
}

func TestAnswersAreFilledSafely(t *testing.T) {
	s := newStand(t, "sms", sms(), anything(), nil)
	// A ref with quotes must not end the JSON string, one like a name must not be filled again.
	got := s.call("POST", "/send", `{"ref":"a\"b${count}\n"}`)
	expectAnswer(t, got, 200, `{"id":"sms-msg-0001","replayed":false}`)
	expectAnswer(t, s.call("GET", "/messages?ref=a%22b%24%7Bcount%7D%0A", ""), 200,
		`{"ref":"a\"b${count}\n","count":1,"ids":["sms-msg-0001"]}`)
}

func TestScriptedBodies(t *testing.T) {
	script := []scenario.Entry{
		{Request: 1, Reply: answering(scenario.ScriptedAnswer{Body: pointer("<not json")})},
		{Request: 2, Reply: answering(scenario.ScriptedAnswer{Status: 201, Body: pointer("${id}")})},
		{Request: 3, Reply: answering(scenario.ScriptedAnswer{Status: 204})},
		{Request: 4, Reply: answering(scenario.ScriptedAnswer{Status: 302,
			Headers: map[string]string{"Location": "/elsewhere"}}), Accept: pointer(false)},
		{Request: 5, Reply: answering(scenario.ScriptedAnswer{Body: pointer("")})},
	}
	s := newStand(t, "push", push(), script, nil)
	expectAnswer(t, s.send("k"), 200, "<not json")
	expectAnswer(t, s.send("k"), 201, "push-msg-0001")
	expectAnswer(t, s.send("k"), 204, "")
	ownRedirect := do(t.Context(), noRedirect(), newRequest(t, "POST", s.url+"/send", "",
		"Idempotency-Key", "k"))
	expectAnswer(t, ownRedirect, 302, `{"error":"Found"}`+"\n")
	expectAnswer(t, s.send("k"), 200, "")
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 5, Acceptances: 4, Sends: 1})
}

func TestQueriesAreScriptedByNumberAndRef(t *testing.T) {
	down := answering(scenario.ScriptedAnswer{Status: 503})
	lagging := answering(scenario.ScriptedAnswer{Body: pointer(`{"ref":"${ref}","count":0,"ids":[]}`)})
	script := []scenario.Entry{
		{Query: 1, Reply: down},
		{Query: 2, Ref: "task-1", Reply: lagging},
		{Otherwise: "any"},
	}
	s := newStand(t, "sms", sms(), script, nil)
	s.sendRef("task-1")
	expectAnswer(t, s.query("task-1"), 503, `{"error":"Service Unavailable"}`+"\n")
	expectAnswer(t, s.query("task-2"), 200, `{"ref":"task-2","count":0,"ids":[]}`)
	expectAnswer(t, s.query("task-1"), 200, `{"ref":"task-1","count":0,"ids":[]}`)
	expectAnswer(t, s.query("task-1"), 200, `{"ref":"task-1","count":1,"ids":["sms-msg-0001"]}`)
	if nth := s.Journal()[4].Nth; nth != 4 {
		t.Errorf("the last query is the %dth", nth)
	}
}

func TestADelayedAnswerComesAfterItsDelay(t *testing.T) {
	const delay = 30 * time.Millisecond
	script := []scenario.Entry{{Request: 1, Reply: answering(scenario.ScriptedAnswer{AfterMilli: 30})}}
	s := newStand(t, "push", push(), script, nil)
	start := clock.Now()
	expectAnswer(t, s.send("k"), 200, `{"id":"push-msg-0001","replayed":false}`)
	if took := clock.Since(start); took < delay {
		t.Errorf("answered after %s", took)
	}
}

func TestAnAnswerHoldsNothingThatVaries(t *testing.T) {
	s := newStand(t, "push", push(), anything(), nil)
	want := "map[Content-Length:[39] Content-Type:[application/json]]" // no Date
	if got := fmt.Sprint(s.send("k").header); got != want {
		t.Errorf("headers %s, want %s", got, want)
	}
}
