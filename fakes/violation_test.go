package fakes_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"lostreply/fakes"
	"lostreply/harness/scenario"
)

// wrongCall is a call that breaks a contract, beside what is said of it.
type wrongCall struct {
	name     string
	contract scenario.Channel
	method   string
	path     string
	body     string
	headers  []string
	kind     fakes.RecordKind
	status   int
	says     string
}

func wrongCalls() []wrongCall {
	byHeader, byParameter := sms(), sms()
	byHeader.Ref = &scenario.Ref{Header: "X-Ref"}
	byParameter.Ref = &scenario.Ref{Query: "ref"}
	const request, query, stray = fakes.RequestRecord, fakes.QueryRecord, fakes.StrayRecord
	key := []string{"Idempotency-Key", "k"}
	return []wrongCall{
		{"no key", push(), "POST", "/send", "{}", nil, request, 400,
			"the key, header Idempotency-Key, is missing"},
		{"empty key", push(), "POST", "/send", "{}", []string{"Idempotency-Key", ""}, request, 400,
			"the key, header Idempotency-Key, is empty"},
		{"two keys", push(), "POST", "/send", "{}", append(key, "Idempotency-Key", "l"), request, 400,
			"the key, header Idempotency-Key, is given 2 times"},
		{"wrong path", push(), "POST", "/sendd", "{}", key, stray, 404,
			"wrong path: channel channel takes POST /send"},
		{"trailing slash", push(), "POST", "/send/", "{}", key, stray, 404, "wrong path"},
		{"wrong method", push(), "PUT", "/send", "{}", key, stray, 405,
			"wrong method: channel channel takes POST /send"},
		{"query on a channel without", push(), "GET", "/messages?ref=x", "", nil, stray, 405,
			"channel channel takes POST /send and has no query"},
		{"query by a wrong method", sms(), "POST", "/messages?ref=x", "", nil, stray, 405,
			"wrong method: channel channel takes POST /send and GET /messages"},
		{"no ref", sms(), "POST", "/send", "{}", nil, request, 400,
			"the ref, /ref of the body, is missing"},
		{"empty ref", sms(), "POST", "/send", `{"ref":""}`, nil, request, 400, "is empty"},
		{"ref of a wrong type", sms(), "POST", "/send", `{"ref":[1]}`, nil, request, 400,
			"is neither a string nor a number"},
		{"null ref", sms(), "POST", "/send", `{"ref":null}`, nil, request, 400,
			"is neither a string nor a number"},
		{"no JSON", sms(), "POST", "/send", `ref=x`, nil, request, 400,
			"the body is not JSON, so it has no ref at /ref"},
		{"no body", sms(), "POST", "/send", ``, nil, request, 400, "the body is not JSON"},
		{"two documents", sms(), "POST", "/send", `{"ref":"x"}{}`, nil, request, 400,
			"the body holds more than one JSON value"},
		{"no ref header", byHeader, "POST", "/send", "", nil, request, 400,
			"the ref, header X-Ref, is missing"},
		{"no ref parameter", byParameter, "POST", "/send", "", nil, request, 400,
			"the ref, URL parameter ref, is missing"},
		{"query without ref", sms(), "GET", "/messages", "", nil, query, 400,
			"the ref, URL parameter ref, is missing"},
		{"query with two refs", sms(), "GET", "/messages?ref=a&ref=b", "", nil, query, 400,
			"the ref, URL parameter ref, is given 2 times"},
		{"unreadable parameters", sms(), "GET", "/messages?ref=a;b", "", nil, query, 400,
			"the parameters of the URL can't be read"},
		{"body too long", push(), "POST", "/send", strings.Repeat("x", fakes.MaxBodyBytes+1), key,
			request, 413, "the body is longer than 1048576 bytes"},
	}
}

func TestACallThatBreaksTheContractIsRefusedAndWrittenDown(t *testing.T) {
	for _, wrong := range wrongCalls() {
		t.Run(wrong.name, func(t *testing.T) {
			// The script says otherwise, and forgives nothing by it.
			s := newStand(t, "channel", wrong.contract, anything(), nil)
			got := s.call(wrong.method, wrong.path, wrong.body, wrong.headers...)
			if got.status != wrong.status || !strings.Contains(got.body, wrong.says) {
				t.Errorf("got %d %q (%v), want %d", got.status, got.body, got.err, wrong.status)
			}
			if wrong.status == 405 && got.header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
			record := s.only()
			if record.Accepted || record.Kind != wrong.kind || record.Status != wrong.status ||
				record.Unscripted || record.Entry != 0 {
				t.Errorf("record %+v", record)
			}
			if !strings.Contains(record.Violation, wrong.says) {
				t.Errorf("violation %q", record.Violation)
			}
			if totals := s.Totals(); totals.Violations != 1 || totals.Acceptances != 0 {
				t.Errorf("totals %+v", totals)
			}
		})
	}
}

func TestACallThatKeepsTheContractIsNoViolation(t *testing.T) {
	nested, byHeader, byParameter := sms(), sms(), sms()
	nested.Ref = &scenario.Ref{JSON: "/tasks/0/a~1b"}
	byHeader.Ref = &scenario.Ref{Header: "X-Ref"}
	byParameter.Ref = &scenario.Ref{Query: "about"}
	byParameter.Query.Ref = &scenario.Ref{Header: "X-Ref"}
	tests := []struct {
		name     string
		contract scenario.Channel
		method   string
		path     string
		body     string
		headers  []string
		ref      string
	}{
		{"key", push(), "POST", "/send", "no JSON", []string{"idempotency-key", "k"}, ""},
		{"parameters beside", push(), "POST", "/send?x=1", "", []string{"Idempotency-Key", "k"}, ""},
		{"longest body", push(), "POST", "/send", strings.Repeat("x", fakes.MaxBodyBytes),
			[]string{"Idempotency-Key", "k"}, ""},
		{"text", sms(), "POST", "/send", ` {"ref":"täsk"} `, nil, "täsk"},
		{"number", sms(), "POST", "/send", `{"ref":9007199254740993}`, nil, "9007199254740993"},
		{"nested", nested, "POST", "/send", `{"tasks":[{"a/b":"t"}]}`, nil, "t"},
		{"header", byHeader, "POST", "/send", "", []string{"X-Ref", "t"}, "t"},
		{"parameter", byParameter, "POST", "/send?about=a%20b", "", nil, "a b"},
		{"query by header", byParameter, "GET", "/messages", "", []string{"X-Ref", "t"}, "t"},
	}
	for _, right := range tests {
		t.Run(right.name, func(t *testing.T) {
			s := newStand(t, "channel", right.contract, anything(), nil)
			got := s.call(right.method, right.path, right.body, right.headers...)
			record := s.only()
			if got.status != 200 || record.Violation != "" || record.Ref != right.ref {
				t.Errorf("got %+v\nrecord %+v", got, record)
			}
		})
	}
}

func TestAnUnscriptedCallIsRefusedAndWrittenDown(t *testing.T) {
	s := newStand(t, "sms", sms(), []scenario.Entry{{Request: 1}}, nil)
	s.sendRef("task-1")
	got := s.sendRef("task-2")
	expectAnswer(t, got, 501, `{"error":"the script of channel sms has no entry for request 2 `+
		`(key=\"\" ref=\"task-2\"); add one, or otherwise: request"}`+"\n")
	if got := s.query("task-1"); got.status != 501 {
		t.Errorf("got %+v", got)
	}
	expectTotals(t, s.Totals(), fakes.Totals{
		Requests: 2, Acceptances: 1, Sends: 1, Queries: 1, Unscripted: 2,
	})
	if record := s.Journal()[1]; !record.Unscripted || record.Accepted || record.Status != 501 {
		t.Errorf("record %+v", record)
	}
}

func TestOtherwiseScriptsTheRest(t *testing.T) {
	other := answering(scenario.ScriptedAnswer{Body: pointer("other")})
	script := []scenario.Entry{{Otherwise: "request", Reply: other}, {Request: 1}, {Query: 2}}
	s := newStand(t, "sms", sms(), script, nil)
	// Wherever it stands, it is the last resort.
	expectAnswer(t, s.sendRef("task-1"), 200, `{"id":"sms-msg-0001","replayed":false}`)
	expectAnswer(t, s.sendRef("task-1"), 200, "other")
	s.query("task-1") // the first query has no entry
	s.query("task-1")
	expectTotals(t, s.Totals(), fakes.Totals{
		Requests: 2, Acceptances: 2, Sends: 2, Queries: 2, Unscripted: 1,
	})
}

// raw sends bytes on a connection of their own and returns what comes back until its end.
func (s *stand) raw(text string) string {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		s.t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		s.t.Logf("reading the answer: %v", err)
	}
	return string(answer)
}

func TestWhatIsNoHTTPIsAViolation(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		status int
	}{
		{"garbage", "HELO channel\r\n\r\n", 400},
		{"no host", "POST /send HTTP/1.1\r\n\r\n", 400},
		{"endless header", "POST /send HTTP/1.1\r\nHost: x\r\nX: " +
			strings.Repeat("x", 80<<10) + "\r\n\r\n", 431},
	}
	for _, wrong := range tests {
		t.Run(wrong.name, func(t *testing.T) {
			s := newStand(t, "push", push(), anything(), nil)
			s.raw(wrong.text)
			s.settle()
			record := s.only()
			if record.Kind != fakes.StrayRecord || record.Status != wrong.status ||
				!strings.HasPrefix(record.Violation, "what was sent is no HTTP/1.1 call") {
				t.Errorf("record %+v", record)
			}
		})
	}
}

func TestWhatEndsInTheMiddleIsNoRequest(t *testing.T) {
	s := newStand(t, "push", push(), anything(), nil)
	head := "POST /send HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\n"
	if got := s.raw(head + "Content-Length: 5\r\n\r\n12"); got != "" {
		t.Errorf("answered %q", got)
	}
	s.settle()
	record := s.only()
	if record.Kind != fakes.StrayRecord || record.Outcome != fakes.OutcomeIncomplete ||
		record.Accepted || record.Violation != "" {
		t.Errorf("record %+v", record)
	}
	// Half a head is the same, and a connection alone is nothing.
	s.raw(head)
	s.raw("")
	s.settle()
	expectTotals(t, s.Totals(), fakes.Totals{Strays: 2})
	// The twin that is whole is a request.
	if got := s.raw(head + "Connection: close\r\nContent-Length: 5\r\n\r\n12345"); got == "" {
		t.Error("no answer")
	}
	expectTotals(t, s.Totals(), fakes.Totals{Strays: 2, Requests: 1, Acceptances: 1, Sends: 1})
}
