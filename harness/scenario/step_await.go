package scenario

import "lostreply/harness/strict"

const adviceAwait = "Wait until a comparison holds; past the deadline the scenario is inconclusive."

// Await waits until a comparison holds. It proves nothing by itself: when the deadline passes, the
// scenario is inconclusive.
type Await struct {
	At strict.Position `key:"-"`
	Subject
	Comparison
}
