package scenario

import "lostreply/harness/strict"

const adviceStop = "SIGSTOP a worker's whole process group, " +
	"and confirm that each member stands still."

// Stop halts a worker's whole process group by SIGSTOP. An event that was held then goes on at the
// other side; the worker does not see it before `continue`.
type Stop struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker,required" doc:"The worker."`
}
