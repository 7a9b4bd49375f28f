package scenario

import "lostreply/harness/strict"

const adviceFail = "Answer a turn that is held at its request with an error, " +
	"instead of forwarding it."

// Fail answers a turn that is held at its request with an error of a chosen SQLSTATE; the server
// never sees the turn.
type Fail struct {
	At       strict.Position `key:"-"`
	Worker   strict.Text     `key:"worker,required" doc:"The worker whose event is held."`
	Event    strict.Text     `key:"event" doc:"Which of its held events. Default: the only one."`
	SQLState string          `key:"sqlstate,required" pattern:"^[0-9A-Z]{5}$" doc:"The five-character code, such as 40001; PostgreSQL documentation, appendix A."`

	// Of is the hold that is acted on.
	Of *Hold `key:"-"`
}
