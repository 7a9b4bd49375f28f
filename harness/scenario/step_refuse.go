package scenario

import "lostreply/harness/strict"

const adviceRefuse = "Refuse a worker's new connections to a database until an event has come."

// Refuse turns new connections of a worker to a database away from this step on, those of its later
// lives too, until an event has come. Connections that it has go on.
type Refuse struct {
	At       strict.Position `key:"-"`
	Worker   strict.Text     `key:"worker,required" doc:"The worker; it need not be started yet."`
	Database strict.Text     `key:"database" doc:"The database. Default: the only one."`
	Until    RefusedUntil    `key:"until,required" doc:"The event that ends it."`
}

// RefusedUntil is the event that ends a refusal: the next of its name that is done, told to its
// worker or not (its phase response).
type RefusedUntil struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker" doc:"Whose event it is. Default: the refused worker's."`
	Event  strict.Text     `key:"event,required" doc:"A channel, a channel's queries (sms.query), a named event, commit, or exit."`
}

// Of is the worker whose event ends the refusal.
func (r *Refuse) Of() strict.Text {
	if r.Until.Worker.Value != "" {
		return r.Until.Worker
	}
	return r.Worker
}
