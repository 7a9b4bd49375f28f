package fakes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"lostreply/fakes"
	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

func TestFiftyCallersAtOnce(t *testing.T) {
	const callers, calls = 50, 4
	s := newStand(t, "push", push(), anything(), nil)
	urls := make([]string, callers)
	for i := range urls {
		url, _, err := s.Listen(fmt.Sprintf("w%02d", i), 1)
		if err != nil {
			t.Fatal(err)
		}
		urls[i] = url
	}
	together(callers, func(i int) {
		client := &http.Client{Transport: &http.Transport{}} // keeps its connection
		defer client.CloseIdleConnections()
		for call := range calls {
			request, err := http.NewRequest("POST", urls[i]+"/send", strings.NewReader("{}"))
			if err != nil {
				t.Error(err)
				return
			}
			// Two workers share each key.
			request.Header.Set("Idempotency-Key", fmt.Sprintf("k-%d-%d", i/2, call))
			if got := do(t.Context(), client, request); got.status != 200 {
				t.Errorf("caller %d: %+v", i, got)
			}
		}
	})
	expectTotals(t, s.Totals(), fakes.Totals{
		Requests: callers * calls, Acceptances: callers * calls, Sends: callers * calls / 2,
	})
	perWorker := map[string]int{}
	for i, record := range s.Journal() {
		perWorker[record.Worker]++
		if record.Number != i+1 || record.Nth != i+1 {
			t.Errorf("record %d is %+v", i, record)
		}
	}
	for worker, count := range perWorker {
		if count != calls {
			t.Errorf("%s made %d calls", worker, count)
		}
	}
}

func TestAKeptConnectionCarriesEachCallForItself(t *testing.T) {
	script := []scenario.Entry{
		{Request: 2, Reply: &scenario.Reply{Silence: scenario.Reset}}, {Otherwise: "any"},
	}
	s := newStand(t, "push", push(), script, nil)
	transport := &http.Transport{MaxConnsPerHost: 1}
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	send := func(key string) result {
		// With a key Go sends a request again on a connection that died; not without GetBody.
		request := newRequest(t, "POST", s.url+"/send", "x", "Idempotency-Key", key)
		request.GetBody = nil
		return do(t.Context(), client, request)
	}
	expectAnswer(t, send("k1"), 200, `{"id":"push-msg-0001","replayed":false}`)
	if got := send("k2"); got.err == nil {
		t.Errorf("got %+v", got)
	}
	expectAnswer(t, send("k3"), 200, `{"id":"push-msg-0003","replayed":false}`)
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 3, Acceptances: 3, Sends: 3})
}

func TestASlowCallerDoesNotKeepOthersWaiting(t *testing.T) {
	s := newStand(t, "push", push(), anything(), nil)
	slow, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	head := "POST /send HTTP/1.1\r\nHost: x\r\nIdempotency-Key: slow\r\nContent-Length: 2\r\n\r\n{"
	if _, err := io.WriteString(slow, head); err != nil {
		t.Fatal(err)
	}
	expectAnswer(t, s.send("k"), 200, `{"id":"push-msg-0001","replayed":false}`)
	if _, err := io.WriteString(slow, "}"); err != nil {
		t.Fatal(err)
	}
	s.await("two", func(fakes.Record) bool { return s.Totals().Acceptances == 2 })
}

func TestSettleFindsWhatWasSentJustBeforeTheEnd(t *testing.T) {
	s := newStand(t, "push", push(), anything(), nil)
	const calls = 200
	for i := range calls {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 { // the end of a killed process that had something left to read is a reset
			if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(conn, "POST /send HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k%d\r\n"+
			"Content-Length: 0\r\n\r\n", i)
		conn.Close()
		s.settle()
		if got := s.Totals(); got.Requests != i+1 || got.Sends != i+1 {
			t.Fatalf("after %d calls: %+v", i+1, got)
		}
	}
}

func TestSettleSaysWhatIsStillOpen(t *testing.T) {
	policy := newHoldAt("push", event.Request)
	s := newStand(t, "push", push(), anything(), policy)
	call := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	s.reached(policy.hold)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Settle(ctx, "a", 1)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "calls of a.1") {
		t.Errorf("settled: %v", err)
	}
	s.resolve(policy.hold, gate.Pass)
	call.end()
	s.settle()
	if err := s.Settle(ctx, "nobody", 1); err != nil {
		t.Errorf("a life that never was: %v", err)
	}
}

func TestListenersEnd(t *testing.T) {
	s := newStand(t, "push", push(), anything(), nil)
	if _, _, err := s.Listen("a", 1); err == nil {
		t.Error("one life got two listeners")
	}
	s.close()
	s.close()
	if got := s.send("k"); got.err == nil {
		t.Errorf("a closed listener answered: %+v", got)
	}
	url, _, err := s.Listen("a", 2)
	if err != nil {
		t.Fatal(err)
	}
	s.url = url
	if got := s.send("k"); got.status != 200 {
		t.Errorf("the channel ended with its listener: %+v", got)
	}
	s.Close()
	s.Close()
	if _, _, err := s.Listen("a", 3); !errors.Is(err, fakes.ErrClosed) {
		t.Errorf("listening on a closed channel: %v", err)
	}
	expectTotals(t, s.Totals(), fakes.Totals{Requests: 1, Acceptances: 1, Sends: 1})
}

func TestCloseLeavesNothingRunning(t *testing.T) {
	s := newStand(t, "push", push(), one(&scenario.Reply{Silence: scenario.Hang}), nil)
	hanging := s.begin("POST", "/send", "{}", "Idempotency-Key", "k")
	s.awaitOutcome(fakes.OutcomeHung)
	idle, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	s.Close()
	if got := hanging.end(); got.err == nil {
		t.Errorf("got %+v", got)
	}
	// The last step of a connection's goroutine comes after it has reported its end.
	ctx, cancel := clock.WithDeadline(t.Context(), patience)
	defer cancel()
	gone := func(context.Context) (bool, error) { return goroutinesOfFakes() == "", nil }
	if err := clock.Until(ctx, gone); err != nil {
		t.Errorf("still running: %v\n%s", err, goroutinesOfFakes())
	}
}

// goroutinesOfFakes are the goroutines that serve a channel.
func goroutinesOfFakes() string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	var serving []string
	for _, goroutine := range strings.Split(string(all), "\n\n") {
		if strings.Contains(goroutine, "net/http.(*conn).serve") ||
			strings.Contains(goroutine, "fakes.(*life)") {
			serving = append(serving, goroutine)
		}
	}
	return strings.Join(serving, "\n\n")
}

// callerVariable makes the test binary a worker that makes one call and waits for its answer.
const callerVariable = "FAKES_TEST_CALL"

func TestMain(m *testing.M) {
	if url := os.Getenv(callerVariable); url != "" {
		request, err := http.NewRequest("POST", url+"/send", bytes.NewReader([]byte("{}")))
		if err != nil {
			panic(err)
		}
		request.Header.Set("Idempotency-Key", "k")
		_, err = http.DefaultClient.Do(request)
		fmt.Println(err)
		return
	}
	os.Exit(m.Run())
}

func TestAProcessKilledInMidCall(t *testing.T) {
	script := []scenario.Entry{
		{Request: 1, Reply: &scenario.Reply{Silence: scenario.Hang}}, {Request: 2},
	}
	s := newStand(t, "push", push(), script, nil)
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), callerVariable+"="+s.url)
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	hung := s.awaitOutcome(fakes.OutcomeHung)
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.Wait() // "signal: killed"
	s.settle()
	if record := s.only(); record != hung || !record.Accepted {
		t.Errorf("record %+v", record)
	}
	if unused := s.Unused(); len(unused) != 1 || unused[0].Request != 2 {
		t.Errorf("unused entries %+v", unused)
	}
	s.close()
	url, _, err := s.Listen("b", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.url = url
	expectAnswer(t, s.send("k"), 200, `{"id":"push-msg-0001","replayed":true}`)
	if unused := s.Unused(); unused != nil {
		t.Errorf("unused entries %+v", unused)
	}
}
