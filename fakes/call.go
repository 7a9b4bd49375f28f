package fakes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"lostreply/harness/scenario"
)

// MaxBodyBytes bounds the body of a call; a longer one breaks the contract.
const MaxBodyBytes = 1 << 20

// call is what arrived, held against the contract.
type call struct {
	kind   RecordKind
	method string
	path   string
	key    string
	ref    string
	body   string
	// violation says how the call breaks the contract, status is what it is answered with, and
	// allow the methods that would have been right.
	violation string
	status    int
	allow     string
	// incomplete calls ended before their body did. That is what a worker killed in the middle of
	// writing looks like, so it is no violation; but nothing has been asked of the channel either.
	incomplete bool
}

// breaks notes how the call breaks the contract; the first reason stands.
func (c *call) breaks(status int, format string, arguments ...any) {
	if c.violation == "" {
		c.status, c.violation = status, fmt.Sprintf(format, arguments...)
	}
}

// read reads a call to its end and holds it against the contract.
func (c *Channel) read(r *http.Request) call {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBodyBytes+1))
	call := call{kind: c.kindOf(r), method: r.Method, path: r.URL.Path}
	call.body = string(body[:min(len(body), MaxBodyBytes)])
	switch {
	case isBroken(err):
		call.kind, call.incomplete = StrayRecord, true
		return call
	case err != nil:
		call.breaks(http.StatusBadRequest, "the body can't be read: %v", err)
	case len(body) > MaxBodyBytes:
		call.breaks(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", MaxBodyBytes)
	}
	switch call.kind {
	case RequestRecord:
		c.readRequest(&call, r)
	case QueryRecord:
		call.readRef(c.contract.Query.Ref, r)
	case StrayRecord:
		c.explainStray(&call)
	}
	return call
}

// isBroken tells a connection that ended early from a body that is written wrongly.
func isBroken(err error) bool {
	var broken net.Error
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broken)
}

func (c *Channel) kindOf(r *http.Request) RecordKind {
	request, query := c.contract.Request, c.contract.Query
	switch {
	case r.Method == request.Method && r.URL.Path == request.Path:
		return RequestRecord
	case query != nil && r.Method == query.Method && r.URL.Path == query.Path:
		return QueryRecord
	default:
		return StrayRecord
	}
}

func (c *Channel) readRequest(call *call, r *http.Request) {
	if key := c.contract.Key; key != nil {
		value, err := single(r.Header.Values(key.Header))
		if err != nil {
			call.breaks(http.StatusBadRequest, "the key, header %s, %v", key.Header, err)
		}
		call.key = value
	}
	if c.contract.Ref != nil {
		call.readRef(c.contract.Ref, r)
	}
}

func (c *call) readRef(ref *scenario.Ref, r *http.Request) {
	value, err := refOf(ref, r, c.body)
	if err != nil {
		c.breaks(http.StatusBadRequest, "%v", err)
		return
	}
	c.ref = value
}

// refOf finds the ref where the contract says it is.
func refOf(ref *scenario.Ref, r *http.Request, body string) (string, error) {
	switch {
	case ref.Header != "":
		value, err := single(r.Header.Values(ref.Header))
		if err != nil {
			return "", fmt.Errorf("the ref, header %s, %w", ref.Header, err)
		}
		return value, nil
	case ref.Query != "":
		parameters, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return "", fmt.Errorf("the parameters of the URL can't be read: %w", err)
		}
		value, err := single(parameters[ref.Query])
		if err != nil {
			return "", fmt.Errorf("the ref, URL parameter %s, %w", ref.Query, err)
		}
		return value, nil
	default:
		return refInJSON(ref.JSON, body)
	}
}

func refInJSON(pointer, body string) (string, error) {
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return "", fmt.Errorf("the body is not JSON, so it has no ref at %s: %w", pointer, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("the body holds more than one JSON value")
	}
	found, err := resolvePointer(document, pointer)
	if err != nil {
		return "", fmt.Errorf("the ref, %s of the body, %w", pointer, err)
	}
	switch value := found.(type) {
	case string:
		if value == "" {
			return "", fmt.Errorf("the ref, %s of the body, is empty", pointer)
		}
		return value, nil
	case json.Number:
		return value.String(), nil
	default:
		return "", fmt.Errorf("the ref, %s of the body, is neither a string nor a number", pointer)
	}
}

// single demands exactly one value that is not empty.
func single(values []string) (string, error) {
	switch {
	case len(values) == 0:
		return "", errors.New("is missing")
	case len(values) > 1:
		return "", fmt.Errorf("is given %d times", len(values))
	case values[0] == "":
		return "", errors.New("is empty")
	default:
		return values[0], nil
	}
}

// explainStray says what is wrong with a call that is neither request nor query, and what would
// have been right.
func (c *Channel) explainStray(call *call) {
	request, query := c.contract.Request, c.contract.Query
	right := fmt.Sprintf("channel %s takes %s %s", c.name, request.Method, request.Path)
	var allowed []string
	if call.path == request.Path {
		allowed = append(allowed, request.Method)
	}
	switch {
	case query == nil && call.method == http.MethodGet:
		call.allow = request.Method
		call.breaks(http.StatusMethodNotAllowed, "%s and has no query", right)
		return
	case query != nil:
		right += fmt.Sprintf(" and %s %s", query.Method, query.Path)
		if call.path == query.Path {
			allowed = append(allowed, query.Method)
		}
	}
	if len(allowed) > 0 {
		call.allow = strings.Join(allowed, ", ")
		call.breaks(http.StatusMethodNotAllowed, "wrong method: %s", right)
		return
	}
	call.breaks(http.StatusNotFound, "wrong path: %s", right)
}
