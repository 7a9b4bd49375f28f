package wire

import (
	"bytes"
	"slices"
)

// part is what a worker has sent since the server was last given something.
type part struct {
	messages  int
	extended  bool // of the extended protocol
	closes    bool // it ends its group: the server will answer ReadyForQuery
	executes  bool // it executes something, so it is a turn's, or a piece of it
	names     []string
	labels    labels
	first     *statement
	ends      bool // it has a COMMIT or ROLLBACK
	hidden    bool
	cutOff    bool
	describes []*prepared
	spoken    []*script
}

func (p *part) add(e execution) {
	if !e.script.isTurn() {
		return
	}
	p.executes = true
	p.spoken = append(p.spoken, e.script)
	for _, name := range e.names {
		if !slices.Contains(p.names, name) {
			p.names = append(p.names, name)
		}
	}
	p.labels.add(e.script.label)
	for _, own := range e.script.statements {
		if p.first == nil {
			p.first = own
		}
		p.ends = p.ends || own.ends
		p.hidden = p.hidden || own.hidden
	}
	p.cutOff = p.cutOff || e.script.cutOff
}

// group is what the server answers with one ReadyForQuery: a simple Query, or everything up to a
// Sync. It is a turn when it executes something.
type group struct {
	part
	complete bool // its end was forwarded; before that, its answers cannot wait
	// streams: its answer is too large to withhold; all but its last messages pass.
	streams bool
	// absorbsSync: it is a COPY by the extended protocol, whose own Sync the server ignores;
	// endsCopy: it is the Sync that follows the data.
	absorbsSync, endsCopy bool
	failing               string // the SQLSTATE that the worker is told instead
	rolledBack            bool   // the server is told ROLLBACK instead of the part
	outcome               outcome
	before, after         byte // transaction status
	idle                  bool
}

// take adds a part that the server is given now.
func (g *group) take(p part) {
	g.complete = p.closes
	g.extended = g.extended || p.extended
	g.describes = append(g.describes, p.describes...)
	if !p.executes {
		return
	}
	for _, name := range p.names {
		if !slices.Contains(g.names, name) {
			g.names = append(g.names, name)
		}
	}
	if g.executes {
		g.labels.add(p.labels.String())
	} else {
		g.labels, g.first = p.labels, p.first
	}
	g.executes = true
	g.ends = g.ends || p.ends
	g.hidden = g.hidden || p.hidden
}

// withholds tells whether the group's answer waits for its ReadyForQuery.
func (g *group) withholds() bool { return g.executes && g.complete && g.failing == "" }

// outcome is what the server said about a turn.
type outcome struct {
	text   []byte // command tags and SQLSTATEs
	worked bool   // something was returned or changed, or failed
	empty  bool   // something was looked for, and nothing found
}

// outcomeBound bounds what is kept of a long batch's tags, bytes.
const outcomeBound = 200

func (o *outcome) say(word []byte) {
	if len(o.text)+len(word) > outcomeBound {
		if !bytes.HasSuffix(o.text, []byte("...")) {
			o.text = append(o.text, ", ..."...)
		}
		return
	}
	if len(o.text) > 0 {
		o.text = append(o.text, ", "...)
	}
	o.text = append(o.text, word...)
}

// tag notes a command tag; those that count tell whether there was anything.
func (o *outcome) tag(tag []byte) {
	o.say(tag)
	last := tag[bytes.LastIndexByte(tag, ' ')+1:]
	switch {
	case len(last) > 0 && isDigit(last[0]):
		if len(last) == 1 && last[0] == '0' {
			o.empty = true
		} else {
			o.worked = true
		}
	case !neutral(string(tag)):
		o.worked = true
	}
}

// neutral tells the commands that by themselves neither find nor change anything.
func neutral(tag string) bool {
	switch tag {
	case "BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET":
		return true
	}
	return false
}
