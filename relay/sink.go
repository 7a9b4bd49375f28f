package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxAnswerBytes bounds what is read of an answer, maxItemIDBytes an item's id in it.
	maxAnswerBytes = 1 << 20
	maxItemIDBytes = 256
	// itemHeader carries the item's id, by which the sink knows a redelivery.
	itemHeader = "Item-Id"
)

// Sink is the receiver of items, over HTTP. It accepts POST /deliver with
//
//	{"item": ID, "tenant": TENANT, "event": EVENT}
//
// and GET /acks?item=ID, and answers either with a status of 2xx and
//
//	{"acks": [ID, …]}
//
// An id in the list is an ACK: of this item, of an earlier one, or again. A status alone is none.
type Sink struct {
	base   string
	client *http.Client
	buffer SendBuffer
}

// NewSink makes a Sink at a base URL. With askedBytes above 0 its connections ask for a send buffer
// of that size, and a delivery that is larger than the buffer in effect is not made.
func NewSink(base string, askedBytes int) (*Sink, error) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" {
		return nil, fmt.Errorf("%w: sink URL %q is none: %v", ErrSettings, base, err)
	}
	sink := &Sink{base: base}
	if askedBytes < 0 {
		return nil, fmt.Errorf("%w: a send buffer of %d bytes", ErrSettings, askedBytes)
	}
	if askedBytes > 0 {
		if sink.buffer, err = tryBuffer(askedBytes); err != nil {
			return nil, err
		}
	}
	sink.client = oneRequestClient(sink.buffer)
	return sink, nil
}

// Buffer is the send buffer of the connections; zero when none was asked for.
func (s *Sink) Buffer() SendBuffer { return s.buffer }

// oneRequestClient never reuses a connection (net/http repeats a request that meets a dead reused
// one: a delivery that nobody counted), follows no redirect and uses no proxy.
func oneRequestClient(buffer SendBuffer) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{}
	if buffer.AskedBytes > 0 {
		dialer.Control = buffer.control
	}
	return &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true, Protocols: protocols, DialContext: dialer.DialContext,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is what came back of one call.
type answer struct {
	acks []string
	// problem is why an ACK may be missing; a sink that withholds one has none.
	problem string
	// isRefusal says that the sink will not have this item: repeating it as it is can't help.
	isRefusal bool
}

func (s *Sink) deliver(ctx context.Context, item *claimed, timeout time.Duration) answer {
	body, err := json.Marshal(struct {
		Item   string          `json:"item"`
		Tenant string          `json:"tenant"`
		Event  json.RawMessage `json:"event"`
	}{item.id, item.tenant, item.body})
	if err != nil {
		return answer{problem: fmt.Sprintf("write the delivery: %v", err)}
	}
	if most := s.buffer.capacity(); most > 0 && len(body) > most {
		return answer{isRefusal: true, problem: fmt.Sprintf(
			"%d bytes are more than the send buffer in effect, %d", len(body), most)}
	}
	return s.call(ctx, http.MethodPost, "/deliver", item.id, body, timeout)
}

// ask asks which ACKs the sink has for an item; it delivers nothing.
func (s *Sink) ask(ctx context.Context, id string, timeout time.Duration) answer {
	path := "/acks?" + url.Values{"item": {id}}.Encode()
	return s.call(ctx, http.MethodGet, path, id, nil, timeout)
}

func (s *Sink) call(
	ctx context.Context, method, path, id string, body []byte, timeout time.Duration,
) answer {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	target := strings.TrimSuffix(s.base, "/") + path
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return answer{problem: fmt.Sprintf("make the call: %v", err)}
	}
	request.GetBody = nil // nothing may repeat it
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(itemHeader, id)
	response, err := s.client.Do(request)
	if err != nil {
		return answer{problem: fmt.Sprintf("no answer: %v", shortened(err))}
	}
	defer response.Body.Close()
	return readAnswer(response)
}

// shortened leaves out the URL, which is another in each run.
func shortened(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// readAnswer believes nothing but a whole 2xx answer. 408 and 429 are of the moment, as is 5xx; any
// other 4xx is of the item.
func readAnswer(response *http.Response) answer {
	status := response.StatusCode
	if status < 200 || status > 299 {
		ofTheMoment := status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
		return answer{
			problem:   fmt.Sprintf("refused with status %d", status),
			isRefusal: status >= 400 && status < 500 && !ofTheMoment,
		}
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return answer{problem: fmt.Sprintf("the answer broke off: %v", err)}
	}
	var said struct {
		ACKs *[]string `json:"acks"`
	}
	if err := json.Unmarshal(content, &said); err != nil || said.ACKs == nil ||
		len(content) > maxAnswerBytes {
		return answer{problem: "the answer is no list of ACKs"}
	}
	for _, id := range *said.ACKs {
		if id == "" || len(id) > maxItemIDBytes || !utf8.ValidString(id) ||
			strings.ContainsRune(id, 0) {
			return answer{problem: "the answer has an ACK whose item can't be an id"}
		}
	}
	return answer{acks: *said.ACKs}
}
