package fakes_test

import (
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"

	"lostreply/fakes"
	"lostreply/harness/scenario"
)

func noRedirect() *http.Client {
	client := caller()
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}
	return client
}

func one(reply *scenario.Reply) []scenario.Entry {
	return []scenario.Entry{{Request: 1, Accept: pointer(true), Reply: reply}}
}

func TestHangLastsUntilTheCallerLeaves(t *testing.T) {
	s := newStand(t, "push", push(), one(&scenario.Reply{Silence: scenario.Hang}), nil)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	record := s.awaitOutcome(fakes.OutcomeHung)
	if !record.Accepted || record.Status != 0 {
		t.Errorf("record %+v", record)
	}
	select {
	case got := <-call.done:
		t.Fatalf("a hanging call ended: %+v", got)
	default:
	}
	call.leave()
	s.settle()
}

func TestResetIsAResetConnection(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		script := []scenario.Entry{{
			Request: 1, Accept: pointer(accepted), Reply: &scenario.Reply{Silence: scenario.Reset},
		}}
		s := newStand(t, "push", push(), script, nil)
		if got := s.send("k"); !errors.Is(got.err, syscall.ECONNRESET) {
			t.Errorf("got %+v, want ECONNRESET", got)
		}
		record := s.only()
		if record.Accepted != accepted || record.Status != 0 || record.Outcome != fakes.OutcomeReset {
			t.Errorf("record %+v", record)
		}
	}
}

func TestTruncatedBodyEndsUnexpectedly(t *testing.T) {
	for bytes, want := range []string{"", "{", `{"`} {
		s := newStand(t, "push", push(),
			one(answering(scenario.ScriptedAnswer{Truncate: pointer(bytes)})), nil)
		got := s.send("k")
		if got.status != 200 || got.body != want || !errors.Is(got.err, io.ErrUnexpectedEOF) {
			t.Errorf("truncate %d: got %+v", bytes, got)
		}
		if record := s.only(); record.Outcome != fakes.OutcomeTruncated || record.Status != 200 {
			t.Errorf("record %+v", record)
		}
	}
}

func TestTruncatingAtTheEndStillAnnouncesMore(t *testing.T) {
	for _, bytes := range []int{5, 4000} {
		answer := scenario.ScriptedAnswer{Truncate: pointer(bytes)}
		if bytes == 5 {
			answer.Body = pointer("12345")
		}
		s := newStand(t, "push", push(), one(answering(answer)), nil)
		if got := s.send("k"); got.body == "" || !errors.Is(got.err, io.ErrUnexpectedEOF) {
			t.Errorf("got %+v", got)
		}
	}
}

func TestStallSendsPartAndWaitsForTheCallerToLeave(t *testing.T) {
	s := newStand(t, "push", push(), one(answering(scenario.ScriptedAnswer{
		Body: pointer("0123456789"), Stall: pointer(4),
	})), nil)
	request := newRequest(t, "POST", s.url+"/send", "", "Idempotency-Key", "k")
	response, err := caller().Do(request.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 4)
	if _, err := io.ReadFull(response.Body, part); err != nil || string(part) != "0123" {
		t.Fatalf("read %q, %v", part, err)
	}
	if response.ContentLength != 10 {
		t.Errorf("announced %d bytes", response.ContentLength)
	}
	if record := s.only(); record.Outcome != fakes.OutcomeStalled || record.Status != 200 {
		t.Errorf("record %+v", record)
	}
	response.Body.Close()
	s.settle()
}

func TestALeavingCallerEndsADelay(t *testing.T) {
	anHour := answering(scenario.ScriptedAnswer{AfterMilli: 3600_000})
	s := newStand(t, "push", push(), one(anHour), nil)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	s.await("accepted", func(r fakes.Record) bool { return r.Accepted })
	call.leave()
	record := s.awaitOutcome(fakes.OutcomeCallerLeft)
	if record.Status != 0 || !record.Accepted {
		t.Errorf("record %+v", record)
	}
	s.settle()
}
