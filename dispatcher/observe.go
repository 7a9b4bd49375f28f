package dispatcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// maxAnswerBytes bounds what is read of a channel's answer.
const maxAnswerBytes = 1 << 20

// Observation is what one call saw.
type Observation struct {
	Outcome   Outcome
	MessageID string // empty when the channel named none
	Found     int    // how many acceptances a query found
	Detail    string // for people
	// RetryAfter is how long the channel asked to be left alone, where its contract lets it.
	RetryAfter time.Duration
}

// observeFailure is the observation of a send that brought no answer.
func observeFailure(err error) Observation {
	if timedOut(err) {
		return Observation{Outcome: Timeout, Detail: err.Error()}
	}
	return Observation{Outcome: IOError, Detail: err.Error()}
}

func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// observeSend reads a send's answer by the channel's contract.
func observeSend(contract Contract, response *http.Response) Observation {
	status := response.StatusCode
	if status >= 200 && status <= 299 {
		return observeAcceptance(response)
	}
	promise, promised := contract.promised(status)
	if !promised {
		return Observation{Outcome: Unpromised, Detail: unpromisedDetail(status)}
	}
	observation := Observation{Outcome: promise.Outcome, Detail: fmt.Sprintf("HTTP %d", status)}
	if promise.RetryAfter {
		observation.RetryAfter = retryAfter(response.Header)
	}
	return observation
}

func unpromisedDetail(status int) string {
	return fmt.Sprintf("HTTP %d, about which the channel's contract promises nothing", status)
}

// observeAcceptance reads the body of a 2xx. One that can't be read is no acceptance that could be
// recorded, but may well be one.
func observeAcceptance(response *http.Response) Observation {
	var answer struct {
		ID       string `json:"id"`
		Replayed bool   `json:"replayed"`
	}
	err := decode(response.Body, &answer)
	switch {
	case err != nil && timedOut(err):
		return Observation{Outcome: Timeout, Detail: err.Error()}
	case err != nil:
		detail := fmt.Sprintf("HTTP %d: %v", response.StatusCode, err)
		return Observation{Outcome: Unpromised, Detail: detail}
	case answer.ID == "":
		return Observation{Outcome: Unpromised, Detail: "an answer without a message id"}
	case answer.Replayed:
		return Observation{Outcome: AcceptedReplay, MessageID: answer.ID}
	}
	return Observation{Outcome: Accepted, MessageID: answer.ID}
}

// observeQuery reads a query's answer. Only one that is complete and about this ref may say that
// nothing was found: a field left out must not read as a count of 0.
func observeQuery(ref string, response *http.Response) Observation {
	if response.StatusCode != http.StatusOK {
		return queryFailed("HTTP %d", response.StatusCode)
	}
	var answer struct {
		Ref   *string  `json:"ref"`
		Count *int     `json:"count"`
		IDs   []string `json:"ids"`
	}
	if err := decode(response.Body, &answer); err != nil {
		return queryFailed("%v", err)
	}
	switch {
	case answer.Ref == nil || answer.Count == nil:
		return queryFailed("an answer without ref or count")
	case *answer.Ref != ref:
		return queryFailed("an answer about %q", *answer.Ref)
	case *answer.Count != len(answer.IDs):
		return queryFailed("a count of %d with %d ids", *answer.Count, len(answer.IDs))
	case *answer.Count == 0:
		return Observation{Outcome: QueryNotFound}
	}
	return Observation{Outcome: QueryFound, MessageID: answer.IDs[0], Found: *answer.Count}
}

func queryFailed(format string, arguments ...any) Observation {
	return Observation{Outcome: QueryFailed, Detail: fmt.Sprintf(format, arguments...)}
}

// decode reads one JSON value that must be all there is.
func decode(body io.Reader, into any) error {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswerBytes))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	return nil
}
