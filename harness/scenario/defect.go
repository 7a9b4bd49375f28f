package scenario

import (
	"lostreply/harness/strict"
)

// Defect is an edit of a system's source that brings a bug back, and what must fail because of it:
// one file of defects/<system>. It is compiled in when the program is built, so that the program
// itself holds no switch for it.
type Defect struct {
	At     strict.Position `key:"-"`
	Name   strict.Text     `key:"defect,required" doc:"The defect's name: that of its file, without the extension."`
	System strict.Text     `key:"system,required" doc:"The system that it is a defect of."`
	Title  string          `key:"title,required" doc:"One line: what is wrong, and what comes of it."`
	Edit   *Edit           `key:"edit" one:"change" doc:"The change of the source."`
	Edits  []Edit          `key:"edits" one:"change" min:"1" doc:"Several changes, made one after the other."`
	Fails  []Failure       `key:"fails,required" min:"1" doc:"What must fail with the defect in place."`
	Also   []strict.Text   `key:"also" doc:"Scenarios that the matrix runs against it besides those of fails, * standing for any text: what of theirs fails is seen failing."`

	// File is where the defect was read from.
	File string `key:"-"`
}

// Edit replaces one place of the source by another text. The place must be found exactly once.
type Edit struct {
	At       strict.Position `key:"-"`
	Package  strict.Text     `key:"package,required" doc:"Directory of the package, from the module's root: ./dispatcher."`
	Function strict.Text     `key:"function,required" doc:"The function: finish, (*Store).finish; or a package-level const, var or type."`
	Code     *Replacement    `key:"code" one:"kind" doc:"Go code, compared token by token: layout and comments are no part of it."`
	Text     *Replacement    `key:"text" one:"kind" doc:"Text inside the function's string literals (SQL), compared word by word."`
}

// Replacement is what an edit looks for and what it puts there.
type Replacement struct {
	At  strict.Position `key:"-"`
	Old strict.Text     `key:"old,required" min:"1" doc:"What stands there now. It must be found exactly once."`
	New strict.Text     `key:"new,required" doc:"What stands there with the defect. Empty removes the old."`
}

// Failure names a check that must fail: the witness that the defect is caught by what it breaks.
type Failure struct {
	At       strict.Position `key:"-"`
	Scenario strict.Text     `key:"scenario,required" doc:"The scenario."`
	Check    strict.Text     `key:"check,required" doc:"The check's name, as its line of output has it."`
}

// Changes lists the edits of the defect in the order they are made.
func (d *Defect) Changes() []Edit {
	if d.Edit != nil {
		return append([]Edit{*d.Edit}, d.Edits...)
	}
	return d.Edits
}
