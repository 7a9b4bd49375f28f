package scenario

import "lostreply/harness/strict"

const adviceHold = "Wait until an event is reached, and hold it there until the act that follows."

// Hold stops one event of a worker at a phase. It is armed from the worker's first instant; the
// step waits until the event has been reached.
type Hold struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker,required" doc:"The worker."`
	Event  strict.Text     `key:"event,required" doc:"A channel, a channel's queries (sms.query), a named event, commit, or exit."`
	Nth    int             `key:"nth" min:"1" doc:"Which of the worker's events of that name, from 1. Default: 1."`
	Phase  string          `key:"phase" enum:"request,response" doc:"request: not yet acted on; response: done, the worker not told. exit has response only."`
}
