package scenario

import "net/http"

// The kinds of calls that a contract knows, as `otherwise` names them.
const (
	RequestCall = "request"
	QueryCall   = "query"
)

// Calls are the kinds of calls that an entry can be for, whatever the contract.
func (e *Entry) Calls() map[string]bool {
	switch {
	case e.Otherwise == "any":
		return map[string]bool{RequestCall: true, QueryCall: true}
	case e.Otherwise != "":
		return map[string]bool{e.Otherwise: true}
	case e.Query != 0:
		return map[string]bool{QueryCall: true}
	case e.Request != 0 || e.Key != "":
		return map[string]bool{RequestCall: true}
	default:
		return map[string]bool{RequestCall: true, QueryCall: true}
	}
}

// The names that the body of an answer can use, by what it answers.
func requestNames() []string { return []string{"id", "replayed", "ref"} }
func queryNames() []string   { return []string{"ref", "count", "ids"} }

// IsSuccess tells the statuses that take a request on (RFC 9110, section 15.3).
func IsSuccess(status int) bool { return status >= 200 && status <= 299 }

// HasNoBody tells the statuses whose answers never have a body (RFC 9110, section 6.4.1).
func HasNoBody(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified
}
