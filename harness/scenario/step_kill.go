package scenario

import "lostreply/harness/strict"

const adviceKill = "SIGKILL a worker's whole process group, and confirm the end of each member."

// Kill ends a worker's whole process group by SIGKILL.
type Kill struct {
	At     strict.Position `key:"-"`
	Worker strict.Text     `key:"worker,required" doc:"The worker."`
}
