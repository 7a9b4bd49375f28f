package scenario

import (
	"fmt"
	"slices"

	"lostreply/harness/strict"
)

// CheckScript says what is wrong with a script beyond its form: entries that no call can ever meet,
// and replies that can't be given or don't say what is meant.
func CheckScript(contract Channel, script []Entry) strict.Problems {
	var found Problems
	for i := range script {
		entry := &script[i]
		if !found.checkSelector(contract, entry) {
			continue
		}
		if shadow := shadowOf(contract, script[:i], entry); shadow != "" {
			found.Addf(entry.At, "no call can meet this entry: %s", shadow)
		}
		found.checkAcceptance(contract, entry)
		if entry.Reply != nil && entry.Reply.Silence == "" {
			found.checkReply(contract, entry)
		}
	}
	return found.list
}

// checkSelector says what is wrong with how an entry chooses its calls.
func (p *Problems) checkSelector(contract Channel, entry *Entry) bool {
	before := len(p.list)
	at := entry.At
	selects := entry.Request != 0 || entry.Query != 0 || entry.Key != "" || entry.Ref != ""
	switch {
	case entry.Otherwise != "" && selects:
		p.Addf(at, "otherwise stands alone: it is for the calls that no other entry is for")
	case entry.Otherwise == "" && !selects:
		p.Addf(at, "which calls is this entry for? give request, query (from 1), key, ref or otherwise")
	case entry.Request != 0 && entry.Query != 0:
		p.Addf(at, "an entry is for a request or for a query, not for both")
	case entry.Query != 0 && entry.Key != "":
		p.Addf(at, "queries carry no key: choose them by number or ref")
	}
	if entry.Request < 0 || entry.Query < 0 {
		p.Addf(at, "calls are counted from 1")
	}
	if entry.Key != "" && contract.Key == nil {
		p.Addf(at, "the channel's contract has no key")
	}
	if (entry.Query != 0 || entry.Otherwise == "query") && contract.Query == nil {
		p.Addf(at, "the channel's contract has no query")
	}
	requestsOnly := entry.Request != 0 || entry.Key != ""
	if entry.Ref != "" && contract.Ref == nil && (requestsOnly || contract.Query == nil) {
		p.Addf(at, "the channel's contract has no ref")
	}
	return len(p.list) == before
}

// checkAcceptance says where an entry leaves open what was accepted. A status alone does not tell:
// 503 before acceptance and 500 after it are the difference that the harness is for.
func (p *Problems) checkAcceptance(contract Channel, entry *Entry) {
	if !possibleKinds(contract, entry)[RequestCall] {
		if entry.Accept != nil {
			p.Addf(entry.At, "accept is for requests: a query accepts nothing")
		}
		return
	}
	answers := entry.Reply == nil || entry.Reply.Silence == ""
	status, body := 0, false
	if entry.Reply != nil {
		status, body = entry.Reply.Answer.Status, entry.Reply.Answer.Body != nil
	}
	refuses := status != 0 && !IsSuccess(status)
	switch {
	case entry.Accept == nil && answers && refuses:
		p.Addf(entry.At, "say accept: true or accept: false: status %d does not tell whether the "+
			"request was accepted before it", status)
	case entry.Accept != nil && !*entry.Accept && answers && !refuses && !body:
		p.Addf(entry.At, "accept: false needs a reply: a status that refuses, a body of its own, "+
			"hang or reset")
	}
}

// checkReply says what is wrong with a scripted answer.
func (p *Problems) checkReply(contract Channel, entry *Entry) {
	at, reply := entry.Reply.At, entry.Reply.Answer
	p.checkStatus(at, "reply", reply.Status)
	p.checkHeaders(at, "reply", reply.Headers)
	if reply.AfterMilli < 0 {
		p.Addf(at, "reply: after_ms %d is less than 0", reply.AfterMilli)
	}
	if reply.Truncate != nil && reply.Stall != nil {
		p.Addf(at, "reply: give truncate or stall, not both")
	}
	for _, part := range []struct {
		name  string
		bytes *int
	}{{"truncate", reply.Truncate}, {"stall", reply.Stall}} {
		if part.bytes != nil {
			p.checkPart(at, part.name, *part.bytes, reply)
		}
	}
	if HasNoBody(reply.Status) && reply.Body != nil && *reply.Body != "" {
		p.Addf(at, "reply: status %d never has a body", reply.Status)
	}
	if reply.Body != nil {
		p.checkTemplate(at, "reply", *reply.Body, replyNames(contract, entry))
	}
}

func (p *Problems) checkPart(
	at strict.Position, name string, bytes int, r ScriptedAnswer,
) {
	switch {
	case bytes < 0:
		p.Addf(at, "reply: %s %d is less than 0", name, bytes)
	case HasNoBody(r.Status):
		p.Addf(at, "reply: status %d never has a body, so %s has nothing to cut", r.Status, name)
	case r.Body != nil && len(Placeholders(*r.Body)) == 0 && bytes > len(*r.Body):
		p.Addf(at, "reply: %s %d is beyond the body, which has %d bytes", name, bytes, len(*r.Body))
	}
}

// replyNames are the names that a scripted body can use: those of every kind of call that it may
// answer. A request that is not accepted has no message.
func replyNames(contract Channel, entry *Entry) []string {
	kinds := possibleKinds(contract, entry)
	ofRequest := requestAnswerNames(contract)
	if entry.Accept != nil && !*entry.Accept {
		ofRequest = slices.DeleteFunc(ofRequest, func(name string) bool { return name != "ref" })
	}
	switch {
	case kinds[RequestCall] && kinds[QueryCall]:
		return slices.DeleteFunc(ofRequest, func(name string) bool {
			return !slices.Contains(queryNames(), name)
		})
	case kinds[QueryCall]:
		return queryNames()
	default:
		return ofRequest
	}
}

// possibleKinds are the kinds of calls that an entry can meet under the contract.
func possibleKinds(contract Channel, entry *Entry) map[string]bool {
	kinds := entry.Calls()
	if contract.Query == nil {
		delete(kinds, QueryCall)
	}
	if entry.Ref != "" && contract.Ref == nil {
		delete(kinds, RequestCall)
	}
	return kinds
}

// shadowOf says why no call can ever reach an entry past the earlier ones, or is empty.
func shadowOf(
	contract Channel, earlier []Entry, entry *Entry,
) string {
	open := possibleKinds(contract, entry)
	for i := range earlier {
		if (earlier[i].Otherwise != "") != (entry.Otherwise != "") || !covers(&earlier[i], entry) {
			continue
		}
		for kind := range earlier[i].Calls() {
			delete(open, kind)
		}
		if len(open) == 0 {
			return fmt.Sprintf("the entry at line %d takes them all", earlier[i].At.Line)
		}
	}
	return ""
}

// covers tells whether an earlier entry meets each call, of its own kinds, that a later one would.
func covers(earlier, later *Entry) bool {
	if earlier.Request != 0 || earlier.Query != 0 {
		// The nth of all and the nth of a ref are different calls, unless both are chosen alike.
		return earlier.Request == later.Request && earlier.Query == later.Query &&
			earlier.Key == later.Key && earlier.Ref == later.Ref
	}
	return (earlier.Key == "" || earlier.Key == later.Key) &&
		(earlier.Ref == "" || earlier.Ref == later.Ref)
}
