package scenario

import "lostreply/harness/strict"

const adviceSever = "Close the connection of a held event, without an answer."

// Sever closes the connection that a held event came on. At the request the other side never saw
// it; at the response it is done, and the worker does not hear so. The worker sees the same both
// times.
type Sever struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker,required" doc:"The worker whose event is held."`
	Event  strict.Text     `key:"event" doc:"Which of its held events. Default: the only one."`

	// Of is the hold that is acted on.
	Of *Hold `key:"-"`
}
