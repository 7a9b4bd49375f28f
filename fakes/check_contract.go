package fakes

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// problems gathers what is wrong with a contract or a script.
type problems struct{ list strict.Problems }

func (p *problems) addf(at strict.Position, format string, arguments ...any) {
	p.list = append(p.list, strict.Problem{At: at, Message: fmt.Sprintf(format, arguments...)})
}

// CheckContract says what is wrong with a contract beyond its form; nothing is started for it.
func CheckContract(contract scenario.Channel) strict.Problems {
	var found problems
	request, query := contract.Request, contract.Query
	found.checkCall(request.At, "request", request.Method, request.Path)
	found.checkAnswer("request", request.Answer, requestAnswerNames(contract))
	if key := contract.Key; key != nil && !isToken(key.Header) {
		found.addf(key.At, "key: %q can't be the name of a header", key.Header)
	}
	if contract.Ref != nil {
		found.checkRef(contract.Ref)
	}
	if query == nil {
		return found.list
	}
	found.checkCall(query.At, "query", query.Method, query.Path)
	found.checkAnswer("query", query.Answer, queryNames())
	if query.Ref != nil {
		found.checkRef(query.Ref)
	}
	if query.Method == request.Method && query.Path == request.Path {
		found.addf(query.At, "request and query are both %s %s: a call can't be told for which it is",
			query.Method, query.Path)
	}
	if contract.Ref == nil {
		found.addf(query.At, "a query asks by ref, and the channel's requests have none: "+
			"say where it is, such as ref: {json: /ref}")
	}
	return found.list
}

// requestAnswerNames are the names of an answer to a request; a contract without a ref has none.
func requestAnswerNames(contract scenario.Channel) []string {
	names := requestNames()
	if contract.Ref == nil {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "ref" })
	}
	return names
}

func (p *problems) checkCall(at strict.Position, what, method, path string) {
	if !isToken(method) || method != strings.ToUpper(method) {
		p.addf(at, "%s: %q is no HTTP method; methods are written in capitals, such as POST",
			what, method)
	}
	parsed, err := url.ParseRequestURI(path)
	if !strings.HasPrefix(path, "/") || err != nil || parsed.Path != path {
		p.addf(at, "%s: path %q must begin with / and be a plain path, without ?, # or %%",
			what, path)
	}
}

func (p *problems) checkAnswer(what string, answer *scenario.Answer, names []string) {
	if answer == nil {
		return
	}
	p.checkStatus(answer.At, what+": answer", answer.Status)
	p.checkHeaders(answer.At, what+": answer", answer.Headers)
	p.checkTemplate(answer.At, what+": answer", answer.Body, names)
	if hasNoBody(answer.Status) && answer.Body != "" {
		p.addf(answer.At, "%s: answer: status %d never has a body", what, answer.Status)
	}
}

// checkStatus allows 0, which is the default. Below 200 an answer is not final (RFC 9110, 15.2).
func (p *problems) checkStatus(at strict.Position, what string, status int) {
	if status != 0 && (status < 200 || status > 599) {
		p.addf(at, "%s: status %d is not from 200 to 599", what, status)
	}
}

func (p *problems) checkHeaders(at strict.Position, what string, headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !isToken(name):
			p.addf(at, "%s: %q can't be the name of a header", what, name)
		case canonical == "Content-Length" || canonical == "Transfer-Encoding":
			p.addf(at, "%s: header %s is the channel's own; a wrong length is truncate or stall",
				what, canonical)
		case strings.ContainsAny(headers[name], "\r\n\x00"):
			p.addf(at, "%s: header %s holds a line break", what, name)
		}
	}
}

func (p *problems) checkTemplate(at strict.Position, what, template string, names []string) {
	for _, name := range namesIn(template) {
		if !slices.Contains(names, name) {
			p.addf(at, "%s: body: %s", what, strict.Unknown("name", "${"+name+"}", dressed(names)))
		}
	}
}

func dressed(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = "${" + name + "}"
	}
	return all
}

func (p *problems) checkRef(ref *scenario.Ref) {
	given := 0
	for _, source := range []string{ref.JSON, ref.Header, ref.Query} {
		if source != "" {
			given++
		}
	}
	if given != 1 {
		p.addf(ref.At, "ref: exactly one of json, header and query says where it is; got %d", given)
	}
	if _, err := pointerTokens(ref.JSON); err != nil {
		p.addf(ref.At, "ref: %v", err)
	}
	if ref.Header != "" && !isToken(ref.Header) {
		p.addf(ref.At, "ref: %q can't be the name of a header", ref.Header)
	}
}

// isToken tells whether a text is a token (RFC 9110, section 5.6.2): a method or a header's name.
func isToken(text string) bool {
	for _, character := range text {
		alphanumeric := character >= '0' && character <= '9' ||
			character >= 'A' && character <= 'Z' || character >= 'a' && character <= 'z'
		if !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", character) {
			return false
		}
	}
	return text != ""
}
