package scenario

import (
	"lostreply/harness/strict"
)

// The clocks a system's databases can have.
const (
	ClockFrozen = "frozen" // stands still but for `advance`
	ClockMoving = "moving" // runs on, and `advance` adds to it
	ClockReal   = "real"   // PostgreSQL's own, untouched; `advance` is refused
)

// System is a system under test: programs, databases and channels. It is what a system.yaml says.
type System struct {
	At        strict.Position         `key:"-"`
	Name      strict.Text             `key:"system,required" doc:"The system's name."`
	Title     string                  `key:"title" doc:"One line about the system."`
	Clock     string                  `key:"clock" enum:"frozen,moving,real" doc:"What now() is in the system's databases. Default: moving."`
	Databases strict.Map[Database]    `key:"databases" doc:"The databases of the system, made anew for each scenario."`
	Channels  strict.Map[Channel]     `key:"channels" doc:"The outside parties that the programs call."`
	Programs  strict.Map[Program]     `key:"programs,required" doc:"The commands of the system."`
	Events    strict.Map[NamedEvent]  `key:"events" doc:"Names for statements that the programs send."`
	Facts     strict.Map[Fact]        `key:"facts" doc:"Values that checks read from outside the programs."`
	Defects   string                  `key:"defects" doc:"Folder of the system's defects, relative to this file. Default: defects."`
	Evidence  string                  `key:"evidence" doc:"Folder of the system's evidence, relative to this file. Default: evidence."`
	PreFix    strict.Map[strict.Text] `key:"pre_fix" doc:"Scenarios, each with the variant that brings back the bug that it was written for. Its evidence with that variant is kept too, as SCENARIO.pre-fix.txt."`
	Install   *Install                `key:"install" doc:"Packages of other languages that the programs need, installed once into the cache."`
	Needs     *Needs                  `key:"needs" doc:"What must be on the machine; where it is missing, scenarios are skipped."`
	Variants  strict.Map[Variant]     `key:"variants" doc:"Other builds of the system, besides its defects."`
	Recover   *Recover                `key:"recover" doc:"How the system gets back to rest after a fault."`

	// File and Folder are where the system was read from.
	File   string `key:"-"`
	Folder string `key:"-"`
}

// Database is one database of a system: how an empty one gets its schema.
type Database struct {
	At     strict.Position `key:"-"`
	Schema strict.Text     `key:"schema" doc:"SQL file that makes the schema, relative to this file."`
	Setup  []strict.Text   `key:"setup" doc:"Programs that make the schema (the system's own migrations), run once and in this order."`
	Ignore []string        `key:"ignore" doc:"Statements that are pings, not turns."`
}

// Program is a command of a system. What runs is called a worker.
type Program struct {
	At        strict.Position         `key:"-"`
	Build     *Build                  `key:"build" doc:"How the program is built."`
	Command   []strict.Text           `key:"command,required" doc:"The program and its first arguments; ${args.NAME} puts an argument in place."`
	Args      strict.Map[Argument]    `key:"args" doc:"Its arguments. One that the command does not place is passed as --NAME=VALUE."`
	Env       strict.Map[strict.Text] `key:"env" doc:"Environment on top of what every program gets."`
	Databases *[]strict.Text          `key:"databases" doc:"The databases that it uses. Default: all; none is []."`
	Folder    strict.Text             `key:"folder" doc:"Working directory, relative to this file. Default: this file's folder."`
	Install   *Install                `key:"install" doc:"Packages that this program needs, besides the system's."`
	Needs     *Needs                  `key:"needs" doc:"What this program needs on the machine, besides what the system does."`
	Ready     *Ready                  `key:"ready" doc:"What says that a started worker is up. Default: at once."`
}

// Build says how a program is built.
type Build struct {
	At     strict.Position `key:"-"`
	Go     strict.Text     `key:"go,required" doc:"Package for go build, from the root of the module that holds this file."`
	Static bool            `key:"static" doc:"Build it without C (CGO_ENABLED=0), so that nothing is loaded and linked at each start: a short worker's start is a quarter of its time quicker."`
}

// Argument is a typed argument of a program; written as its type alone or as a mapping.
type Argument struct {
	At       strict.Position
	Type     string
	Optional bool
	Default  *strict.Value
}

// Ready says when a started worker is up: exactly one of the three.
type Ready struct {
	At    strict.Position `key:"-"`
	Line  string          `key:"line" doc:"A line that it prints, or a part of one."`
	Event string          `key:"event" doc:"An event that it causes: a channel's name or a named event."`
	HTTP  strict.Text     `key:"http" doc:"URL that answers 2xx; ${port.NAME} is a free port."`
}

// NamedEvent names the turns that hold a certain statement.
type NamedEvent struct {
	At       strict.Position          `key:"-"`
	Database strict.Text              `key:"database" doc:"The database the statement goes to. Default: the only one."`
	Contains string                   `key:"contains" doc:"Part of the statement's text, comments kept, white space folded."`
	Label    string                   `key:"label" doc:"The statement's label, such as: update delivery_task."`
	Command  string                   `key:"command" doc:"The statement's first word, such as: update."`
	Params   strict.Map[strict.Value] `key:"params" doc:"Bound parameters by number, from 1."`
}

// Fact is a value read from outside the programs.
type Fact struct {
	At       strict.Position `key:"-"`
	Database strict.Text     `key:"database" doc:"Where it is read. Default: the only database."`
	SQL      string          `key:"sql,required" doc:"The query. Order its rows: a table has none of its own."`
}

// Recover says how a system gets back to rest after a fault: programs are run until a fact holds.
type Recover struct {
	At    strict.Position `key:"-"`
	Run   []RecoverRun    `key:"run,required" doc:"Programs run in turn until the fact holds."`
	Until Await           `key:"until,required" doc:"What holds when nothing is due."`
	// Converge are the facts that a fault may not change.
	Converge []strict.Text `key:"converge" doc:"The facts that must then be as they are without a fault. Default: all that two runs agree on."`
	// Invariants are what must hold whatever the fault was.
	Invariants []Invariant `key:"invariants" doc:"What must hold whatever the fault was."`
}

// Invariant is a comparison that must hold after every fault.
type Invariant struct {
	At   strict.Position `key:"-"`
	Name strict.Text     `key:"name,required" doc:"Its name, by which a violation is told."`
	// Holds is empty for always.
	Holds string `key:"holds" enum:"always,recovered" doc:"always: as soon as the workers have ended, and after recovery; recovered: once recovery is done. Default: always."`
	Check Await  `key:"check,required" doc:"What must hold, of facts and journals."`
}

// Always tells whether an invariant must hold before recovery, too.
func (i Invariant) Always() bool { return i.Holds != HoldsRecovered }

// HoldsRecovered is of an invariant that need not hold before recovery is done.
const HoldsRecovered = "recovered"

// RecoverRun is one program of a recovery.
type RecoverRun struct {
	At      strict.Position          `key:"-"`
	Program strict.Text              `key:"program,required" doc:"A program of the system."`
	Args    strict.Map[strict.Value] `key:"args" doc:"Its arguments."`
}
