package dispatcher_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"lostreply/dispatcher"
)

// A POST must not become a GET whose 200 reads as accepted.
func TestRedirectsAreNotFollowed(t *testing.T) {
	w := newWorld(t, "push")
	worker := w.worker("a")
	var calls []string
	for i, code := range []int{301, 302, 303, 307, 308} {
		w.create(strconv.Itoa(code), 3)
		w.push.plays(func(rw http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(rw, r, "/elsewhere", code)
		})
		w.run(worker, "UNKNOWN")
		calls = append(calls, fmt.Sprintf("POST ntf-task-%d to=push-1", i+1))
	}
	w.wantCalls(w.push, calls...)
	w.want("SELECT DISTINCT outcome FROM delivery_attempt", "UNPROMISED")
}

// breaks closes the connection without an answer, after the request has been read.
func breaks(rw http.ResponseWriter, _ *http.Request, _ string) {
	connection, _, err := rw.(http.Hijacker).Hijack()
	if err == nil {
		_ = connection.(*net.TCPConn).SetLinger(0)
		_ = connection.Close()
	}
}

// net/http repeats a keyed request that meets a dead reused connection; nothing is reused here.
func TestABrokenConnectionIsOneRequest(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.create("e2", 3)
	w.push.plays(accepts("m-1"), breaks)
	worker := w.worker("a")
	w.run(worker, "SENT")
	w.run(worker, "UNKNOWN")
	w.wantOutcomes("ACCEPTED", "IO_ERROR")
	w.wantCalls(w.push, "POST ntf-task-1 to=push-1", "POST ntf-task-2 to=push-1")
}

// An answer that announces more than it brings, and one that stops in the middle.
func TestAnAnswerCutShort(t *testing.T) {
	short := func(rw http.ResponseWriter, r *http.Request, ref string) {
		rw.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(rw, `{"id": "m-1", "replayed": false}`)
	}
	stalls := func(rw http.ResponseWriter, r *http.Request, ref string) {
		_, _ = io.WriteString(rw, `{"id": "m-`)
		rw.(http.Flusher).Flush()
		hangs(rw, r, ref)
	}
	for _, row := range []struct {
		answer  reply
		outcome string
		change  func(*dispatcher.Settings)
	}{
		{short, "UNPROMISED", func(*dispatcher.Settings) {}},
		{stalls, "TIMEOUT", impatient},
	} {
		w := newWorld(t, "push")
		w.create("e1", 3)
		w.push.plays(row.answer)
		w.run(w.worker("a", row.change), "UNKNOWN")
		w.wantOutcomes(row.outcome)
	}
}

// Only a query's complete answer about this ref says that nothing was found.
func TestAQueryThatSaysTooLittleHasFailed(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 20)
	w.exec("UPDATE delivery_task SET outcome_uncertain = true")
	worker := w.worker("a")
	for _, body := range []string{
		``, `{}`, `[]`, `{"ref": "task-1"}`, `{"count": 0, "ids": []}`,
		`{"ref": "task-2", "count": 0, "ids": []}`, `{"ref": "task-1", "count": 1, "ids": []}`,
		`{"ref": "task-1", "count": 0, "ids": ["m-1"]}`, `{"ref": "task-1", "count": 0, "ids": [`,
	} {
		w.sms.plays(text(200, "%s", body))
		w.run(worker, "UNKNOWN")
		w.age(time.Minute)
	}
	w.sms.plays(hangs)
	w.run(w.worker("b", impatient), "UNKNOWN")
	w.want("SELECT outcome || ' ' || count(*) FROM delivery_attempt GROUP BY outcome",
		"QUERY_FAILED 10")
}

func TestALeaseMustOutlastTheTimeoutAndTheFinish(t *testing.T) {
	contracts := []dispatcher.Contract{dispatcher.Push("http://push.test")}
	for _, row := range []struct {
		change func(*dispatcher.Settings)
		want   string // part of the error; empty for none
	}{
		{func(*dispatcher.Settings) {}, ""},
		{func(s *dispatcher.Settings) { s.Lease = 10999 * time.Millisecond }, "would be overtaken"},
		{func(s *dispatcher.Settings) { s.Lease, s.AllowOverlap = time.Second, true }, ""},
		{func(s *dispatcher.Settings) { s.Name = "" }, "needs a name"},
		{func(s *dispatcher.Settings) { s.Timeout = 0 }, "must be above 0"},
		{func(s *dispatcher.Settings) { s.RetryDelay = -1 }, "is below 0"},
	} {
		settings := dispatcher.Settings{Name: "a", Lease: 11 * time.Second, Timeout: 10 * time.Second}
		row.change(&settings)
		_, err := dispatcher.New(dispatcher.NewSession(""), contracts, settings)
		if row.want == "" && err != nil {
			t.Errorf("%+v: %v", settings, err)
		}
		if row.want != "" &&
			(!errors.Is(err, dispatcher.ErrSettings) || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%+v: error %v, want one with %q", settings, err, row.want)
		}
	}
	_, err := dispatcher.New(nil, append(contracts, contracts...),
		dispatcher.Settings{Name: "a", Lease: time.Minute, Timeout: time.Second})
	if !errors.Is(err, dispatcher.ErrContract) {
		t.Errorf("a channel given twice: error %v, want %v", err, dispatcher.ErrContract)
	}
}
