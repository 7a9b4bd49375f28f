package scenario

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"lostreply/harness/strict"
)

// CheckContract says what is wrong with a contract beyond its form; nothing is started for it.
func CheckContract(contract Channel) strict.Problems {
	var found Problems
	request, query := contract.Request, contract.Query
	found.checkCall(request.At, "request", request.Method, request.Path)
	found.checkAnswer("request", request.Answer, requestAnswerNames(contract))
	if key := contract.Key; key != nil && !isToken(key.Header) {
		found.Addf(key.At, "key: %q can't be the name of a header", key.Header)
	}
	if contract.Ref != nil {
		found.checkRef(contract.Ref)
	}
	found.checkLog(contract)
	if query == nil {
		return found.list
	}
	found.checkCall(query.At, "query", query.Method, query.Path)
	found.checkAnswer("query", query.Answer, queryNames())
	if query.Ref != nil {
		found.checkRef(query.Ref)
	}
	if query.Method == request.Method && query.Path == request.Path {
		found.Addf(query.At, "request and query are both %s %s: a call can't be told for which it is",
			query.Method, query.Path)
	}
	if contract.Ref == nil {
		found.Addf(query.At, "a query asks by ref, and the channel's requests have none: "+
			"say where it is, such as ref: {json: /ref}")
	}
	return found.list
}

func (p *Problems) checkLog(contract Channel) {
	log, query := contract.Log, contract.Query
	if log == nil {
		return
	}
	p.checkCall(log.At, "log", http.MethodGet, log.Path)
	isRequest := contract.Request.Method == http.MethodGet && contract.Request.Path == log.Path
	isQuery := query != nil && query.Method == http.MethodGet && query.Path == log.Path
	if isRequest || isQuery {
		p.Addf(log.At, "log: GET %s is the channel's request or query already: "+
			"a call can't be told for which it is", log.Path)
	}
}

// requestAnswerNames are the names of an answer to a request; a contract without a ref has none.
func requestAnswerNames(contract Channel) []string {
	names := requestNames()
	if contract.Ref == nil {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "ref" })
	}
	return names
}

func (p *Problems) checkCall(at strict.Position, what, method, path string) {
	if !isToken(method) || method != strings.ToUpper(method) {
		p.Addf(at, "%s: %q is no HTTP method; methods are written in capitals, such as POST",
			what, method)
	}
	parsed, err := url.ParseRequestURI(path)
	if !strings.HasPrefix(path, "/") || err != nil || parsed.Path != path {
		p.Addf(at, "%s: path %q must begin with / and be a plain path, without ?, # or %%",
			what, path)
	}
}

func (p *Problems) checkAnswer(what string, answer *Answer, names []string) {
	if answer == nil {
		return
	}
	p.checkStatus(answer.At, what+": answer", answer.Status)
	p.checkHeaders(answer.At, what+": answer", answer.Headers)
	p.checkTemplate(answer.At, what+": answer", answer.Body, names)
	if HasNoBody(answer.Status) && answer.Body != "" {
		p.Addf(answer.At, "%s: answer: status %d never has a body", what, answer.Status)
	}
}

// checkStatus allows 0, which is the default. Below 200 an answer is not final (RFC 9110, 15.2).
func (p *Problems) checkStatus(at strict.Position, what string, status int) {
	if status != 0 && (status < 200 || status > 599) {
		p.Addf(at, "%s: status %d is not from 200 to 599", what, status)
	}
}

func (p *Problems) checkHeaders(at strict.Position, what string, headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !isToken(name):
			p.Addf(at, "%s: %q can't be the name of a header", what, name)
		case canonical == "Content-Length" || canonical == "Transfer-Encoding":
			p.Addf(at, "%s: header %s is the channel's own; a wrong length is truncate or stall",
				what, canonical)
		case strings.ContainsAny(headers[name], "\r\n\x00"):
			p.Addf(at, "%s: header %s holds a line break", what, name)
		}
	}
}

func (p *Problems) checkTemplate(at strict.Position, what, template string, names []string) {
	for _, name := range Placeholders(template) {
		if !slices.Contains(names, name) {
			p.Addf(at, "%s: body: %s", what, strict.Unknown("name", "${"+name+"}", dressed(names)))
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

func (p *Problems) checkRef(ref *Ref) {
	given := 0
	for _, source := range []string{ref.JSON, ref.Header, ref.Query} {
		if source != "" {
			given++
		}
	}
	if given != 1 {
		p.Addf(ref.At, "ref: exactly one of json, header and query says where it is; got %d", given)
	}
	if _, err := PointerTokens(ref.JSON); err != nil {
		p.Addf(ref.At, "ref: %v", err)
	}
	if ref.Header != "" && !isToken(ref.Header) {
		p.Addf(ref.At, "ref: %q can't be the name of a header", ref.Header)
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
