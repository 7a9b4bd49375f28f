package dispatcher

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestContractValidate(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Contract)
		want   string // part of the error; empty for none
	}{
		{"sms as it is", func(*Contract) {}, ""},
		{"settle time", func(c *Contract) { c.SeesAtOnce, c.Settle = false, time.Second }, ""},
		{"throttling", func(c *Contract) {
			c.BeforeAcceptance = []Promise{{Status: 429, Outcome: Throttled, RetryAfter: true}}
		}, ""},
		{"no name", func(c *Contract) { c.Channel = "" }, "named by small letters"},
		{"all that a name may have", func(c *Contract) { c.Channel = "e-mail_2" }, ""},
		{"a name in capitals", func(c *Contract) { c.Channel = "sMs" }, "named by small letters"},
		{"a name with a gap", func(c *Contract) { c.Channel = "s s" }, "named by small letters"},
		{"a name that begins with a digit", func(c *Contract) { c.Channel = "2s" }, "named by small"},
		{"no host", func(c *Contract) { c.URL = "/send" }, "not http://HOST"},
		{"bad URL", func(c *Contract) { c.URL = "http://a b" }, "its URL"},
		{"no mode", func(c *Contract) { c.Mode = "" }, "is not one of IDEMPOTENT"},
		{"query of a channel that has none", func(c *Contract) { c.Mode = Neither }, "only a QUERYABLE"},
		{"both", func(c *Contract) { c.Settle = time.Second }, "either sees acceptances at once or"},
		{"no word on queries", func(c *Contract) { c.SeesAtOnce = false }, "either sees"},
		{"settle below 0", func(c *Contract) { c.Settle = -1 }, "either sees"},
		{"a success promised", func(c *Contract) {
			c.BeforeAcceptance = []Promise{{Status: 202, Outcome: Rejected}}
		}, "status 202 can't be"},
		{"nothing promised", func(c *Contract) {
			c.BeforeAcceptance = []Promise{{Status: 302, Outcome: Unpromised}}
		}, "status 302 can't be"},
		{"a wrong meaning", func(c *Contract) {
			c.BeforeAcceptance = []Promise{{Status: 503, Outcome: Rejected}}
		}, "5xx is HTTP_5XX"},
		{"twice", func(c *Contract) {
			c.BeforeAcceptance = append(usualPromises(), usualPromises()...)
		}, "promised twice"},
	} {
		contract := SMS("http://sms.test")
		row.change(&contract)
		err := contract.Validate()
		if row.want == "" {
			if err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			continue
		}
		if !errors.Is(err, ErrContract) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want one with %q", row.name, err, row.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	const answered = "Sun, 06 Nov 1994 08:49:37 GMT"
	for value, want := range map[string]time.Duration{
		"":                              0,
		"120":                           2 * time.Minute,
		"0":                             0,
		"-1":                            0,
		"soon":                          0,
		"Sun, 06 Nov 1994 08:50:07 GMT": 30 * time.Second,
		"Sun, 06 Nov 1994 08:00:00 GMT": 0,
		"999999999":                     maxRetryAfter,
		"Sat, 06 Nov 2094 08:50:07 GMT": maxRetryAfter,
	} {
		header := http.Header{"Retry-After": {value}, "Date": {answered}}
		if got := retryAfter(header); got != want {
			t.Errorf("Retry-After %q: %s, want %s", value, got, want)
		}
	}
	header := http.Header{"Retry-After": {answered}}
	if got := retryAfter(header); got != 0 {
		t.Errorf("a date without the answer's own: %s, want 0", got)
	}
}
