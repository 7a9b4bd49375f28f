package fakes_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lostreply/fakes"
	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// patience bounds every wait of these tests; none of them is meant to need it.
const patience = 20 * time.Second

func push() scenario.Channel {
	return scenario.Channel{
		Kind:    "http",
		Request: scenario.Request{Method: "POST", Path: "/send"},
		Key:     &scenario.Key{Header: "Idempotency-Key", Replays: true},
	}
}

func sms() scenario.Channel {
	return scenario.Channel{
		Kind:    "http",
		Request: scenario.Request{Method: "POST", Path: "/send"},
		Ref:     &scenario.Ref{JSON: "/ref"},
		Query:   &scenario.Query{Method: "GET", Path: "/messages"},
	}
}

func anything() []scenario.Entry { return []scenario.Entry{{Otherwise: "any"}} }

func pointer[T any](value T) *T { return &value }

func answering(answer scenario.ScriptedAnswer) *scenario.Reply {
	return &scenario.Reply{Answer: answer}
}

// holdAt is a policy that stops the first event of a name and phase.
type holdAt struct {
	name  string
	phase event.Phase
	hold  *gate.Hold
	done  bool
}

func newHoldAt(name string, phase event.Phase) *holdAt {
	return &holdAt{name: name, phase: phase, hold: gate.NewHold()}
}

func (h *holdAt) Decide(e event.Event) *gate.Hold {
	if h.done || !e.Has(h.name) || e.Phase != h.phase {
		return nil
	}
	h.done = true
	return h.hold
}

// freely is a policy that stops nothing.
type freely struct{}

func (freely) Decide(event.Event) *gate.Hold { return nil }

// stand is one channel with one listener, that of worker a's first life.
type stand struct {
	*fakes.Channel
	t     *testing.T
	gate  *gate.Gate
	url   string
	close func()
}

func newStand(
	t *testing.T, name string, contract scenario.Channel, script []scenario.Entry, policy gate.Policy,
) *stand {
	t.Helper()
	if policy == nil {
		policy = freely{}
	}
	for _, problem := range scenario.CheckContract(contract) {
		t.Errorf("contract: %s", problem)
	}
	for _, problem := range scenario.CheckScript(contract, script) {
		t.Errorf("script: %s", problem)
	}
	g := gate.New(policy)
	channel := fakes.New(name, contract, script, g)
	t.Cleanup(channel.Close)
	url, closeListener, err := channel.Listen("a", 1)
	if err != nil {
		t.Fatal(err)
	}
	return &stand{Channel: channel, t: t, gate: g, url: url, close: closeListener}
}

// result is what a caller got.
type result struct {
	status int
	header http.Header
	body   string
	err    error
}

// caller makes one request on a connection of its own.
func caller() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func do(ctx context.Context, client *http.Client, request *http.Request) result {
	response, err := client.Do(request.WithContext(ctx))
	if err != nil {
		return result{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return result{
		status: response.StatusCode, header: response.Header, body: string(body), err: err,
	}
}

func newRequest(t *testing.T, method, url, body string, headers ...string) *http.Request {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	return request
}

// call makes one call and waits for its end.
func (s *stand) call(method, path, body string, headers ...string) result {
	s.t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	return do(ctx, caller(), newRequest(s.t, method, s.url+path, body, headers...))
}

// send is a request to a channel like push, query one to a channel like sms.
func (s *stand) send(key string) result {
	s.t.Helper()
	return s.call("POST", "/send", `{}`, "Idempotency-Key", key)
}

func (s *stand) sendRef(ref string) result {
	s.t.Helper()
	return s.call("POST", "/send", `{"ref":"`+ref+`"}`)
}

func (s *stand) query(ref string) result {
	s.t.Helper()
	return s.call("GET", "/messages?ref="+ref, "")
}

// pending is a call that goes on while the test does something else.
type pending struct {
	t    *testing.T
	done chan result
	quit context.CancelFunc
}

func (s *stand) begin(method, path, body string, headers ...string) *pending {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request := newRequest(s.t, method, s.url+path, body, headers...)
	p := &pending{t: s.t, done: make(chan result, 1), quit: cancel}
	go func() { p.done <- do(ctx, caller(), request) }()
	s.t.Cleanup(cancel)
	return p
}

func (p *pending) end() result {
	p.t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	select {
	case r := <-p.done:
		return r
	case <-ctx.Done():
		p.t.Fatal("the call did not end")
		return result{}
	}
}

// leave makes the caller hang up.
func (p *pending) leave() {
	p.t.Helper()
	p.quit()
	if r := p.end(); !errors.Is(r.err, context.Canceled) {
		p.t.Errorf("a caller that leaves got %+v", r)
	}
}

func (s *stand) reached(hold *gate.Hold) {
	s.t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	select {
	case <-hold.Reached():
	case <-ctx.Done():
		s.t.Fatal("the hold was not reached")
	}
}

func (s *stand) resolve(hold *gate.Hold, kind gate.ActKind) {
	s.t.Helper()
	if err := s.gate.Resolve(hold, gate.Act{Kind: kind}); err != nil {
		s.t.Fatal(err)
	}
}

// carried waits until the act on a hold has been carried out.
func (s *stand) carried(hold *gate.Hold) {
	s.t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	select {
	case <-hold.Carried():
	case <-ctx.Done():
		s.t.Fatal("the act was not carried out")
	}
	if err := hold.Failure(); err != nil {
		s.t.Fatal(err)
	}
}

// await waits until a record of the journal is as wanted.
func (s *stand) await(what string, wanted func(fakes.Record) bool) fakes.Record {
	s.t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	for {
		changed := s.Changed()
		journal := s.Journal()
		if found := slices.IndexFunc(journal, wanted); found >= 0 {
			return journal[found]
		}
		select {
		case <-changed:
		case <-ctx.Done():
			s.t.Fatalf("no record that is %s: %+v", what, journal)
		}
	}
}

func (s *stand) awaitOutcome(outcome string) fakes.Record {
	s.t.Helper()
	return s.await(outcome, func(r fakes.Record) bool { return r.Outcome == outcome })
}

// settle waits until nothing is open any more: that proves that no handler hangs on.
func (s *stand) settle() {
	s.t.Helper()
	ctx, cancel := clock.WithDeadline(context.Background(), patience)
	defer cancel()
	if err := s.Settle(ctx, "a", 1); err != nil {
		s.t.Fatal(err)
	}
}

// only is the journal's only record.
func (s *stand) only() fakes.Record {
	s.t.Helper()
	journal := s.Journal()
	if len(journal) != 1 {
		s.t.Fatalf("the journal has %d records: %+v", len(journal), journal)
	}
	return journal[0]
}

// together runs a function n times at once and waits for all.
func together(n int, run func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { run(i) })
	}
	all.Wait()
}
