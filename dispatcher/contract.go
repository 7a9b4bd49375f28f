package dispatcher

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Mode is what a channel can do for a caller who does not know whether it accepted a request.
type Mode string

// The three modes.
const (
	Idempotent Mode = "IDEMPOTENT" // a repeat under the same key sends nothing new
	Queryable  Mode = "QUERYABLE"  // it can be asked what it accepted under a ref
	Neither    Mode = "NEITHER"
)

// Contract is what a channel promises. Every decision about an unknown outcome rests on it, so a
// promise belongs here only when the channel's own documentation makes it.
type Contract struct {
	Channel string // as in channel_pref
	Mode    Mode
	URL     string // base: /send and /messages are below it
	// BeforeAcceptance lists the statuses that the channel promises to return only for requests that
	// it has not accepted. Any other status leaves the outcome unknown.
	BeforeAcceptance []Promise
	// SeesAtOnce says that a query sees every acceptance from the moment it is made.
	SeesAtOnce bool
	// Settle is how long after a request an acceptance may still be missing from a query's answer.
	// A QUERYABLE channel has exactly one of SeesAtOnce and Settle, any other has neither.
	Settle time.Duration
}

// Promise gives one status its meaning.
type Promise struct {
	Status  int
	Outcome Outcome // HTTP5xx for 5xx, Throttled for 429, Rejected for any other 4xx
	// RetryAfter says that the Retry-After of such an answer is to be honoured.
	RetryAfter bool
}

// ErrContract is what is wrong with a contract that can't be kept.
var ErrContract = errors.New("unusable channel contract")

// Push and SMS are the two channels that are known without configuration.
func Push(url string) Contract {
	return Contract{Channel: "push", Mode: Idempotent, URL: url, BeforeAcceptance: usualPromises()}
}

// SMS is a channel that ignores keys and can be queried; see Push.
func SMS(url string) Contract {
	return Contract{
		Channel: "sms", Mode: Queryable, URL: url, BeforeAcceptance: usualPromises(), SeesAtOnce: true,
	}
}

func usualPromises() []Promise {
	return []Promise{{Status: 503, Outcome: HTTP5xx}, {Status: 400, Outcome: Rejected}}
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// isChannelName is ^[a-z][a-z0-9_-]*$, without an expression that each start would compile.
func isChannelName(name string) bool {
	return name != "" && strings.Contains(letters, name[:1]) &&
		strings.Trim(name, letters+"0123456789_-") == ""
}

// Validate tells what is wrong with the contract, as ErrContract.
func (c Contract) Validate() error {
	checks := []func(Contract) error{checkName, checkURL, checkMode, checkPromises}
	for _, check := range checks {
		if err := check(c); err != nil {
			return fmt.Errorf("%w of channel %q: %w", ErrContract, c.Channel, err)
		}
	}
	return nil
}

func checkName(c Contract) error {
	if !isChannelName(c.Channel) {
		return errors.New("a channel is named by small letters, digits, - and _")
	}
	return nil
}

func checkURL(c Contract) error {
	base, err := url.Parse(c.URL)
	if err != nil {
		return fmt.Errorf("its URL: %w", err)
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return fmt.Errorf("its URL is %q, not http://HOST or https://HOST", c.URL)
	}
	return nil
}

func checkMode(c Contract) error {
	switch c.Mode {
	case Idempotent, Neither:
		if c.SeesAtOnce || c.Settle != 0 {
			return fmt.Errorf("only a QUERYABLE channel answers queries, this one is %s", c.Mode)
		}
	case Queryable:
		if c.Settle < 0 || c.SeesAtOnce == (c.Settle > 0) {
			return errors.New("a QUERYABLE channel's query either sees acceptances at once or has a " +
				"settle time above 0")
		}
	default:
		return fmt.Errorf("mode %q is not one of IDEMPOTENT, QUERYABLE, NEITHER", c.Mode)
	}
	return nil
}

func checkPromises(c Contract) error {
	var seen []int
	for _, promise := range c.BeforeAcceptance {
		if slices.Contains(seen, promise.Status) {
			return fmt.Errorf("status %d is promised twice", promise.Status)
		}
		seen = append(seen, promise.Status)
		outcome := outcomeOfStatus(promise.Status)
		if outcome == Unpromised || promise.Outcome != outcome {
			return fmt.Errorf("status %d can't be %q: 5xx is HTTP_5XX, 429 THROTTLED, "+
				"any other 4xx REJECTED", promise.Status, promise.Outcome)
		}
	}
	return nil
}

func outcomeOfStatus(status int) Outcome {
	switch {
	case status >= 500 && status <= 599:
		return HTTP5xx
	case status == 429:
		return Throttled
	case status >= 400 && status <= 499:
		return Rejected
	}
	return Unpromised
}

// promised is what the contract says about a status.
func (c Contract) promised(status int) (Promise, bool) {
	for _, promise := range c.BeforeAcceptance {
		if promise.Status == status {
			return promise, true
		}
	}
	return Promise{}, false
}
