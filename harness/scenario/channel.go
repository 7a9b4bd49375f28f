package scenario

import (
	"time"

	"lostreply/harness/strict"
)

// Channel is the contract of an outside party: what it promises to a worker that calls it. The fake
// that plays it is configured by this and nothing else.
type Channel struct {
	At      strict.Position `key:"-"`
	Kind    string          `key:"kind,required" enum:"http" doc:"How the channel is reached."`
	Request Request         `key:"request,required" doc:"The call that asks the channel to accept something."`
	Key     *Key            `key:"key" doc:"The idempotency key that each request must carry."`
	Ref     *Ref            `key:"ref" doc:"Where a request names what it is about."`
	Query   *Query          `key:"query" doc:"The call that asks what the channel has accepted."`
	Log     *Log            `key:"log" doc:"The call that reads the channel's own journal."`
}

// Request is the shape of a call and of the channel's own answer to it.
type Request struct {
	At     strict.Position `key:"-"`
	Method string          `key:"method,required" doc:"HTTP method, RFC 9110 section 9."`
	Path   string          `key:"path,required" doc:"Path of the URL, beginning with /."`
	Answer *Answer         `key:"answer" doc:"The answer to an accepted request."`
}

// Key says which header carries the idempotency key, and whether a repeated key is recognised.
type Key struct {
	At      strict.Position `key:"-"`
	Header  string          `key:"header,required" doc:"Name of the header."`
	Replays bool            `key:"replays" doc:"A known key gets its first message again; nothing new is sent."`
}

// Ref says where a request names what it is about: exactly one of the three is given.
type Ref struct {
	At     strict.Position `key:"-"`
	JSON   string          `key:"json" doc:"JSON Pointer into the body, RFC 6901."`
	Header string          `key:"header" doc:"Name of a header."`
	Query  string          `key:"query" doc:"Name of a parameter of the URL."`
}

// Query is the shape of a call that asks what was accepted under a ref.
type Query struct {
	At     strict.Position `key:"-"`
	Method string          `key:"method,required" doc:"HTTP method, RFC 9110 section 9."`
	Path   string          `key:"path,required" doc:"Path of the URL, beginning with /."`
	Ref    *Ref            `key:"ref" doc:"Where the query names the ref. Default: the URL parameter ref."`
	Answer *Answer         `key:"answer" doc:"The answer to a query."`
}

// Log is a GET that reads the journal so far, as JSON: for a program that audits another by what
// the outside saw. It is no event, no script is for it, and it is not in the journal itself.
type Log struct {
	At   strict.Position `key:"-"`
	Path string          `key:"path,required" doc:"Path of the URL, beginning with /. The method is GET."`
}

// Answer is the channel's own answer. In its body ${id} is the message's id, ${replayed} true or
// false, ${ref} the ref, ${count} how many were accepted under the ref, and ${ids} a JSON list of
// their ids.
type Answer struct {
	At      strict.Position   `key:"-"`
	Status  int               `key:"status" doc:"HTTP status. Default: 200."`
	Headers map[string]string `key:"headers" doc:"Headers of the answer."`
	Body    string            `key:"body" doc:"Template of the body."`
}

// Entry is one line of a channel's script: which calls it is for, and what becomes of them. A call
// meets the first entry that fits; an `otherwise` comes last, wherever it stands.
type Entry struct {
	At        strict.Position `key:"-"`
	Request   int             `key:"request" doc:"The nth request of the channel (with key or ref: of that key or ref), from 1."`
	Query     int             `key:"query" doc:"The nth query of the channel (with ref: of that ref), from 1."`
	Key       string          `key:"key" doc:"Requests with this idempotency key."`
	Ref       string          `key:"ref" doc:"Calls about this ref."`
	Otherwise string          `key:"otherwise" enum:"request,query,any" doc:"Every call of this kind that no other entry is for."`
	Accept    *bool           `key:"accept" doc:"Whether the request is recorded as accepted before it is answered. Default: true; to be said where the status of the reply is not 2xx."`
	Reply     *Reply          `key:"reply" doc:"What the caller gets. Default: the contract's own answer."`
}

// Reply is what the caller gets: an answer, silence or a reset.
type Reply struct {
	At strict.Position
	// Silence is "hang" (never an answer, until the caller goes away) or "reset" (the connection
	// is reset); empty when there is an answer.
	Silence string
	Answer  ScriptedAnswer
}

// ScriptedAnswer departs from the contract's own answer in what it names.
type ScriptedAnswer struct {
	Status     int               `key:"status" doc:"HTTP status."`
	Headers    map[string]string `key:"headers" doc:"Headers, Retry-After among them."`
	Body       *string           `key:"body" doc:"The body, in place of the contract's; a template like it."`
	AfterMilli int               `key:"after_ms" doc:"Milliseconds before the answer. It races the caller's timeout: prefer reply: hang."`
	Truncate   *int              `key:"truncate" doc:"Bytes of the body after which the connection closes, the length announced being longer."`
	Stall      *int              `key:"stall" doc:"Bytes of the body after which nothing more comes, until the caller goes away."`
}

// After is the scripted delay.
func (a ScriptedAnswer) After() time.Duration {
	return time.Duration(a.AfterMilli) * time.Millisecond
}
