package scenario

import "lostreply/harness/strict"

const adviceBlackhole = "Keep the connection of a held event open and silent."

// Blackhole keeps the connection that a held event came on open and silent.
type Blackhole struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker,required" doc:"The worker whose event is held."`
	Event  strict.Text     `key:"event" doc:"Which of its held events. Default: the only one."`

	// Of is the hold that is acted on.
	Of *Hold `key:"-"`
}
