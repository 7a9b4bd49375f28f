package fakes

import (
	"encoding/json"
	"fmt"
	"maps"
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

// scripted is the contract's own answer, changed in what the reply names. A status that the reply
// sets to a refusal, or a request that was not accepted, has nothing of the contract's answer: its
// body would promise a message that nobody is told of.
func scripted(
	own *scenario.Answer, reply *scenario.Reply, accepted bool, values map[string]string,
) answer {
	result := answer{status: own.Status, headers: maps.Clone(own.Headers)}
	template := own.Body
	departs := !accepted
	if reply != nil {
		if reply.Silence != "" {
			return answer{silence: reply.Silence}
		}
		changes := reply.Answer
		if changes.Status != 0 {
			departs = departs || changes.Status != own.Status && !isSuccess(changes.Status)
			result.status = changes.Status
		}
		if departs {
			result.headers = nil
		}
		result.headers = merged(result.headers, changes.Headers)
		result.after, result.truncate, result.stall = changes.After(), changes.Truncate, changes.Stall
		if changes.Body != nil {
			result.body = []byte(expand(*changes.Body, values))
			return result
		}
	}
	if departs {
		result.body = refusal(result.status, http.StatusText(result.status)).body
		return result
	}
	result.body = []byte(expand(template, values))
	return result
}

func merged(base, changes map[string]string) map[string]string {
	if base == nil && changes == nil {
		return nil
	}
	all := map[string]string{}
	for _, headers := range []map[string]string{base, changes} {
		for name, value := range headers {
			all[http.CanonicalHeaderKey(name)] = value
		}
	}
	return all
}

func isSuccess(status int) bool { return status >= 200 && status <= 299 }

// hasNoBody tells the statuses whose answers never have a body (RFC 9110, section 6.4.1).
func hasNoBody(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified
}
