package scenario

import "lostreply/harness/strict"

const adviceRun = "Run a program to its end."

// Run runs a program to its end. It fails when the program ends otherwise than Exit says.
type Run struct {
	At      strict.Position          `key:"-"`
	Program strict.Text              `key:"program,required" doc:"A program of the system."`
	As      Names                    `key:"as" doc:"The worker's name, or several names: that many run side by side. Default: the program's name."`
	Args    strict.Map[strict.Value] `key:"args" doc:"Arguments of the program."`
	Prints  Strings                  `key:"prints" doc:"Lines, or parts of lines, that it must print. A claim, not a fact."`
	Exit    int                      `key:"exit" doc:"The exit status that it must end with. Default: 0."`
}
