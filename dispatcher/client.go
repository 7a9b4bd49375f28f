package dispatcher

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// idempotencyHeader carries the key (draft-ietf-httpapi-idempotency-key-header).
const idempotencyHeader = "Idempotency-Key"

// client makes exactly one request for each call, or the count of attempts would be a lie.
type client struct {
	transport *http.Client
	timeout   time.Duration
}

// newClient makes a client whose calls end after timeout.
func newClient(timeout time.Duration) client {
	return client{transport: oneRequestClient(), timeout: timeout}
}

// oneRequestClient never reuses a connection (net/http repeats a request that meets a dead reused
// one), speaks no HTTP/2 (which repeats refused streams), follows no redirect (a 302 turns a POST
// into a GET, whose 200 would read as accepted) and uses no proxy (whose 503 is not the channel's
// promise).
func oneRequestClient() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, Protocols: protocols},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// call does what the claim is for and tells what came of it. It never fails: an error is an
// observation like any other.
func (c client) call(ctx context.Context, contract Contract, claim *claim) Observation {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if claim.Action == Query {
		return c.query(ctx, contract, claim)
	}
	return c.send(ctx, contract, claim)
}

func (c client) send(ctx context.Context, contract Contract, claim *claim) Observation {
	request, err := sendRequest(ctx, contract, claim)
	if err != nil {
		return Observation{Outcome: IOError, Detail: err.Error()}
	}
	response, err := c.transport.Do(request)
	if err != nil {
		return observeFailure(err)
	}
	defer response.Body.Close()
	return observeSend(contract, response)
}

func (c client) query(ctx context.Context, contract Contract, claim *claim) Observation {
	request, err := queryRequest(ctx, contract, claim)
	if err != nil {
		return Observation{Outcome: QueryFailed, Detail: err.Error()}
	}
	response, err := c.transport.Do(request)
	if err != nil {
		return Observation{Outcome: QueryFailed, Detail: err.Error()}
	}
	defer response.Body.Close()
	return observeQuery(ref(claim), response)
}

// ref names the task to the channel.
func ref(claim *claim) string { return fmt.Sprintf("task-%d", claim.TaskID) }

// idempotencyKey is the same for every attempt of a task: a repeat must be known as one.
func idempotencyKey(claim *claim) string { return "ntf-" + ref(claim) }

func sendRequest(ctx context.Context, contract Contract, claim *claim) (*http.Request, error) {
	target, err := url.JoinPath(contract.URL, "send")
	if err != nil {
		return nil, fmt.Errorf("address of channel %s: %w", contract.Channel, err)
	}
	body, err := json.Marshal(struct {
		Ref  string `json:"ref"`
		To   string `json:"to"`
		Body string `json:"body"`
	}{ref(claim), claim.Address, claim.Body})
	if err != nil {
		return nil, fmt.Errorf("request for task %d: %w", claim.TaskID, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("request for task %d: %w", claim.TaskID, err)
	}
	request.GetBody = nil // nothing may replay it
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(idempotencyHeader, idempotencyKey(claim))
	return request, nil
}

func queryRequest(ctx context.Context, contract Contract, claim *claim) (*http.Request, error) {
	target, err := url.JoinPath(contract.URL, "messages")
	if err != nil {
		return nil, fmt.Errorf("address of channel %s: %w", contract.Channel, err)
	}
	target += "?" + url.Values{"ref": {ref(claim)}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, fmt.Errorf("query for task %d: %w", claim.TaskID, err)
	}
	return request, nil
}
