package fakes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"lostreply/harness/scenario"
)

// answer is what goes back on the wire.
type answer struct {
	// silence is hang or reset, and then nothing else counts.
	silence string
	status  int
	headers map[string]string
	body    []byte
	after   time.Duration
	// truncate and stall are bytes of the body, nil when the whole body is sent.
	truncate *int
	stall    *int
}

// refusal is the channel's answer to a call that it can't take: JSON that explains.
func refusal(status int, explanation string) answer {
	body, err := json.Marshal(map[string]string{"error": explanation})
	if err != nil {
		panic(err) // strings always encode
	}
	return answer{status: status, body: append(body, '\n')}
}

// unscripted is the answer to a call that no entry of the script is for.
func (c *Channel) unscripted(call call, nth int) answer {
	return refusal(http.StatusNotImplemented, fmt.Sprintf(
		"the script of channel %s has no entry for %s %d (key=%q ref=%q); add one, or otherwise: %s",
		c.name, call.kind, nth, call.key, call.ref, call.kind))
}

// scripted is the contract's own answer, changed in what the reply names. Where the reply's status
// is a refusal, nothing of it is left: its body would name a message.
func scripted(own *scenario.Answer, reply *scenario.Reply, values map[string]string) answer {
	if reply == nil {
		reply = &scenario.Reply{}
	}
	if reply.Silence != "" {
		return answer{silence: reply.Silence}
	}
	changes := reply.Answer
	result := answer{status: own.Status, headers: own.Headers, body: []byte(expand(own.Body, values))}
	if changes.Status != 0 && changes.Status != own.Status {
		if !scenario.IsSuccess(changes.Status) {
			result = refusal(changes.Status, http.StatusText(changes.Status))
		}
		result.status = changes.Status
	}
	if changes.Body != nil {
		result.body = []byte(expand(*changes.Body, values))
	}
	result.headers = merged(result.headers, changes.Headers)
	result.after, result.truncate, result.stall = changes.After(), changes.Truncate, changes.Stall
	return result
}

func merged(base, changes map[string]string) map[string]string {
	all := map[string]string{}
	for _, headers := range []map[string]string{base, changes} {
		for name, value := range headers {
			all[http.CanonicalHeaderKey(name)] = value
		}
	}
	return all
}
