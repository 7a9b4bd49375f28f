package scenario

import "lostreply/harness/strict"

const adviceRelease = "Let a held event go on as if nothing had happened."

// Release lets a held event go on.
type Release struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker,required" doc:"The worker whose event is held."`
	Event  strict.Text     `key:"event" doc:"Which of its held events. Default: the only one."`

	// Of is the hold that is released.
	Of *Hold `key:"-"`
}
