package scenario

import "lostreply/harness/strict"

const adviceContinue = "SIGCONT a stopped worker."

// Continue lets a stopped worker run on.
type Continue struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker,required" doc:"The worker."`
}
