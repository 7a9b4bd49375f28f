package scenario

import (
	"time"

	"lostreply/harness/strict"
)

const adviceCheck = "Compare a fact, a journal, a worker's end or a file with what is expected."

// Check compares a value with an expectation: one `ok` or `FAIL` line, or one for each named
// column.
type Check struct {
	At      strict.Position `key:"-"`
	Title   string          `key:"title" doc:"What the line is called. Default: the subject's name."`
	As      string          `key:"as" doc:"A name under which the value is kept for unchanged_since."`
	Within  time.Duration   `key:"within" doc:"Look again until it holds; FAIL when this has passed."`
	Of      strict.Text     `key:"of" doc:"A fact that must have rows, or nothing was proved: inconclusive."`
	Exposes string          `key:"exposes" doc:"The damage that this check is the witness of, in a negative control."`
	Subject
	Comparison
}

// Subject says what a check looks at: exactly one of fact, journal, worker and file.
type Subject struct {
	Fact    strict.Text `key:"fact" doc:"A fact of the system."`
	Journal strict.Text `key:"journal" doc:"What a channel saw."`
	Worker  Names       `key:"worker" doc:"A worker: how it ended, or what it claims in a line."`
	File    strict.Text `key:"file" doc:"A file, relative to the worker's folder."`
	Field   string      `key:"field" doc:"The column that column, set, range and matches look at. Default: the only one."`
}

// Comparison is what the value must be: exactly one of these.
type Comparison struct {
	Rows           *strict.Value             `key:"rows" doc:"All rows, each a list of values or a mapping of columns."`
	Row            *strict.Map[strict.Value] `key:"row" doc:"The only row: a mapping of columns to values."`
	Column         *[]strict.Value           `key:"column" doc:"The values of one column, in order."`
	Set            *[]strict.Value           `key:"set" doc:"The values of one column, in any order."`
	Count          *strict.Value             `key:"count" doc:"The number of rows; of a journal: requests, acceptances, sends, queries."`
	Range          *Range                    `key:"range" doc:"Bounds for each value of a column."`
	Matches        *string                   `key:"matches" doc:"Regular expression (RE2) for each value of a column."`
	UnchangedSince strict.Text               `key:"unchanged_since" doc:"The name of an earlier check: the value must be the same."`
	ChangedSince   strict.Text               `key:"changed_since" doc:"The name of an earlier check: the value must be another."`
	Ended          *Ended                    `key:"ended" doc:"How a worker ended."`
	Line           *string                   `key:"line" doc:"A part of a line that a worker printed: a claim, not a fact."`
}

// Range bounds numbers; a bound that is left out does not bound.
type Range struct {
	At  strict.Position `key:"-"`
	Min *strict.Value   `key:"min" doc:"The least value."`
	Max *strict.Value   `key:"max" doc:"The greatest value."`
}

// Ended is how a worker's process group ended: by a signal, with an exit status, or somehow.
type Ended struct {
	At     strict.Position `key:"-"`
	Signal string          `key:"signal" doc:"Name of the signal, such as KILL."`
	Exit   *int            `key:"exit" doc:"Exit status."`
	Any    bool            `key:"any" doc:"true: that it ended is all that matters."`
}
