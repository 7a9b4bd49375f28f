package scenario

import "lostreply/harness/strict"

const adviceNote = "Print a value that varies from run to run; it is judged by nobody."

// Note prints a fact that varies from run to run, such as how work was split between workers. It is
// no check and no evidence.
type Note struct {
	At    strict.Position `key:"-"`
	Title string          `key:"title" doc:"What the line is called. Default: the fact's name."`
	Fact  strict.Text     `key:"fact,required" doc:"A fact of the system."`
}
