package scenario

import "lostreply/harness/strict"

const adviceStart = "Start a program and go on while it runs."

// Start starts a worker and goes on while it runs.
type Start struct {
	At      strict.Position          `key:"-"`
	Program strict.Text              `key:"program,required" doc:"A program of the system."`
	As      Names                    `key:"as" doc:"The worker's name, or several names. Default: the program's name."`
	Args    strict.Map[strict.Value] `key:"args" doc:"Arguments of the program."`
}
