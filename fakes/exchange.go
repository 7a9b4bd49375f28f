package fakes

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"lostreply/harness/clock"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// ending is how the connection goes on when a call is done with.
type ending int

const (
	keep   ending = iota // the answer is whole; the connection may carry another call
	hangUp               // close it in order: the caller reads an unexpected end
	reset                // close it with RST: the caller's read fails
)

// exchange is one call on its way.
type exchange struct {
	life    *life
	channel *Channel
	conn    *connection
	writer  http.ResponseWriter
	// caller ends when the caller goes away.
	caller context.Context
	call   call
	number int
	entry  *scenario.Entry
}

// ServeHTTP is one call of the worker, for net/http.
func (l *life) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn := r.Context().Value(connectionKey{}).(*connection)
	conn.answering.Store(true)
	if log := l.channel.contract.Log; log != nil &&
		r.Method == http.MethodGet && r.URL.Path == log.Path {
		l.channel.writeLog(w)
		return
	}
	x := &exchange{life: l, channel: l.channel, conn: conn, writer: w, caller: r.Context()}
	x.call = l.channel.read(r)
	x.number, x.entry = l.channel.arrive(l, x.call)
	switch x.run() {
	case hangUp:
		// net/http's own way to close a connection in the middle of an answer, without a word.
		panic(http.ErrAbortHandler)
	case reset:
		panic(http.ErrAbortHandler)
	}
}

// run brings a call that is in the journal to its end.
func (x *exchange) run() ending {
	if x.call.incomplete {
		return hangUp
	}
	e, act, passed := x.arrive(x.event())
	if !passed {
		return hangUp
	}
	answer := x.decide()
	x.channel.note(x.number, func(record *Record) { record.Answer = string(answer.body) })
	act.Carried()
	e.Phase = event.Response
	if _, act, passed = x.arrive(e); !passed {
		return hangUp
	}
	return x.reply(answer, act.Carried)
}

// event is the call as the gate sees it. A stray has no name: nobody can mean it.
func (x *exchange) event() event.Event {
	e := event.Event{
		Worker: x.life.worker, Incarnation: x.life.incarnation,
		Kind: event.Call, Phase: event.Request,
		Label: x.call.method + " " + x.call.path,
	}
	switch x.call.kind {
	case RequestRecord:
		e.Names = []string{x.channel.name}
	case QueryRecord:
		e.Names = []string{scenario.QueryEvent(x.channel.name)}
	}
	var details []string
	if x.call.key != "" {
		details = append(details, "key="+x.call.key)
	}
	if x.call.ref != "" {
		details = append(details, "ref="+x.call.ref)
	}
	e.Detail = strings.Join(details, " ")
	return e
}

// arrive asks the gate and carries out every act but pass, which is carried out when the channel
// has decided or replied. It waits in the life's context and not in the request's: a caller that
// hangs up has still sent its request.
func (x *exchange) arrive(e event.Event) (event.Event, gate.Act, bool) {
	e, act, _ := x.channel.gate.Arrive(x.life.ctx, e)
	if act.Kind != gate.Pass {
		x.end(act)
	}
	return e, act, act.Kind == gate.Pass
}

// end carries out an act that ends the call.
func (x *exchange) end(act gate.Act) {
	switch act.Kind {
	case gate.Abandon:
		// The worker is as good as dead, but perhaps not yet killed: if it saw its connection end
		// first, it would go on.
		x.outcome(OutcomeAbandoned)
		act.Carried()
		select {
		case <-x.caller.Done():
		case <-x.life.ctx.Done():
		}
	case gate.Sever:
		x.outcome(OutcomeSevered)
		_ = x.conn.TCPConn.Close()
		act.Carried()
	case gate.BlackHole:
		x.outcome(OutcomeBlackHoled)
		act.Carried()
		<-x.caller.Done()
	default:
		x.outcome(OutcomeUnsupported + string(act.Kind))
		act.Carried()
	}
}

// decide is the channel's own work between the two phases: it accepts a request, looks up a query,
// and knows the answer.
func (x *exchange) decide() answer {
	contract := x.channel.contract
	switch {
	case x.call.violation != "":
		refused := refusal(x.call.status, x.call.violation)
		if x.call.allow != "" {
			refused.headers = map[string]string{"Allow": x.call.allow}
		}
		return refused
	case x.entry == nil:
		return x.channel.unscripted(x.call, x.channel.nth(x.number))
	case x.call.kind == QueryRecord:
		ids, count := x.channel.sentAbout(x.call.ref)
		values := queryValues(x.call.ref, ids, count)
		return scripted(contract.Query.Answer, x.entry.Reply, values)
	default:
		var message string
		var replayed bool
		accepted := x.entry.Accept == nil || *x.entry.Accept
		if accepted {
			message, replayed = x.channel.accept(x.number)
		}
		values := requestValues(message, replayed, x.call.ref)
		return scripted(contract.Request.Answer, x.entry.Reply, values)
	}
}

// reply sends the answer, or does not. What is done is noted first, so that whoever has the answer
// finds it in the journal. Told is called when all is done but what waits for time or the caller.
func (x *exchange) reply(a answer, told func()) ending {
	defer told()
	switch a.silence {
	case scenario.Hang:
		x.outcome(OutcomeHung)
		told()
		<-x.caller.Done()
		return hangUp
	case scenario.Reset:
		x.outcome(OutcomeReset)
		_ = x.conn.SetLinger(0)
		_ = x.conn.TCPConn.Close()
		return reset
	}
	if a.after > 0 {
		told()
	}
	if a.after > 0 && clock.Delay(x.caller, a.after) != nil {
		x.outcome(OutcomeCallerLeft)
		return hangUp
	}
	switch {
	case a.truncate != nil:
		x.answered(OutcomeTruncated, a.status)
		x.sendPart(a, *a.truncate)
		return hangUp
	case a.stall != nil:
		x.answered(OutcomeStalled, a.status)
		x.sendPart(a, *a.stall)
		told()
		<-x.caller.Done()
		return hangUp
	default:
		x.answered(OutcomeAnswered, a.status)
		x.send(a, len(a.body))
		return keep
	}
}

// sendPart sends the head, announcing more than comes, and the first bytes of the body.
func (x *exchange) sendPart(a answer, bytes int) {
	announced := len(a.body)
	if bytes >= announced {
		a.body, announced = a.body[:announced], announced+1
	} else {
		a.body = a.body[:bytes]
	}
	x.send(a, announced)
}

// send writes an answer, down to the socket. An error means that the caller is gone, which takes
// nothing back.
func (x *exchange) send(a answer, announced int) {
	defer func() { _ = http.NewResponseController(x.writer).Flush() }()
	header := x.writer.Header()
	header["Date"] = nil // the same answer, the same bytes, in each run
	header.Set("Content-Type", "application/json")
	for _, name := range slices.Sorted(maps.Keys(a.headers)) {
		header.Set(name, a.headers[name])
	}
	if scenario.HasNoBody(a.status) {
		x.writer.WriteHeader(a.status)
		return
	}
	header.Set("Content-Length", strconv.Itoa(announced))
	x.writer.WriteHeader(a.status)
	_, _ = x.writer.Write(a.body)
}

func (x *exchange) outcome(outcome string) { x.answered(outcome, 0) }

func (x *exchange) answered(outcome string, status int) {
	x.channel.note(x.number, func(record *Record) {
		record.Outcome, record.Status = outcome, status
	})
}
