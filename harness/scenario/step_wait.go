package scenario

import "lostreply/harness/strict"

const adviceWait = "Wait for workers to end, for a line of one, or until one has nothing to do."

// Wait waits for workers to end by themselves, for a line that one prints, or until one has looked
// for work in vain.
type Wait struct {
	At     strict.Position `key:"-"`
	Worker Names           `key:"worker,required" doc:"The worker, or several."`
	Line   string          `key:"line" doc:"A part of a line to wait for, instead of the end."`
	Idle   strict.Text     `key:"idle" doc:"A named event, by which a poller looks for work: wait until such a turn, asked for after this step began, has found nothing, instead of the end."`
	Exit   int             `key:"exit" doc:"The exit status that each must end with. Default: 0."`
}

// ForEnd tells whether it is the workers' ends that are waited for.
func (w *Wait) ForEnd() bool { return w.Line == "" && w.Idle.Value == "" }
