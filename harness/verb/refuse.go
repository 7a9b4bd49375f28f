package verb

import "lostreply/harness/scenario"

// refuser refuses connections.
type refuser interface {
	Refuse(step *scenario.Refuse)
}

// refuse turns new connections of a worker to a database away until an event has come. The step
// itself proves nothing: that a connection met it is judged when all is done.
func refuse(on refuser, step *scenario.Refuse) error {
	on.Refuse(step)
	return nil
}
