package scenario

import "lostreply/harness/strict"

const adviceWait = "Wait for workers to end, or for a line of one."

// Wait waits for workers to end by themselves, or for a line that one prints.
type Wait struct {
	At     strict.Position `key:"-"`
	Worker Names           `key:"worker,required" doc:"The worker, or several."`
	Line   string          `key:"line" doc:"A part of a line to wait for, instead of the end."`
	Exit   int             `key:"exit" doc:"The exit status that each must end with. Default: 0."`
}
