// Package event holds the pure data of a run: events, their addresses and their history.
package event

import (
	"fmt"
	"strings"
)

// Phase says on which side of the outside party's work an event is: before it or after it.
type Phase string

// The two phases of an event. At Request the other side has not acted yet ("before the server saw
// it"); at Response it has, and the worker has been told nothing ("done, the worker not told").
const (
	Request  Phase = "request"
	Response Phase = "response"
)

// Phases lists the valid phases in the order in which they happen.
func Phases() []Phase { return []Phase{Request, Response} }

// Kind is what crossed the boundary.
type Kind string

// The kinds of events.
const (
	Turn Kind = "turn" // one exchange of a worker with PostgreSQL
	Call Kind = "call" // one request of a worker to a channel
	Exit Kind = "exit" // the end of a worker's process group
)

// ExitName is the name of the built-in event of a worker's end; CommitName that of a turn that
// holds a COMMIT.
const (
	ExitName   = "exit"
	CommitName = "commit"
)

// Event is one thing that crossed a boundary, at one phase.
type Event struct {
	// Sequence is the event's place in the run's history, from 1. The gate assigns it.
	Sequence int `json:"sequence"`
	// Worker and Incarnation tell whose event it is. Incarnation counts a worker's lives from 1.
	Worker      string `json:"worker"`
	Incarnation int    `json:"incarnation"`
	Kind        Kind   `json:"kind"`
	Phase       Phase  `json:"phase"`
	// Names are the names the event answers to: a channel's name, `commit`, `exit`, or the named
	// events of system.yaml that its statements match. A turn that matches none has no name.
	Names []string `json:"names,omitempty"`
	// Nth counts, for each name, the events of that name, worker, incarnation and phase, from 1. The
	// gate assigns it. The two phases of a channel call have one number; those of a turn can differ,
	// as a turn that turns out to be idle, or is never answered, has no response that counts.
	Nth Numbers `json:"nth,omitempty"`
	// Label describes the event for a reader: "POST /send", "update delivery_task".
	Label string `json:"label,omitempty"`
	// Detail are further facts about the event for the history: "key=ntf-task-1", "SELECT 1",
	// "23505". They are never part of evidence.
	Detail string `json:"detail,omitempty"`
	// Idle marks the response of a poller's empty turn: nothing returned, nothing changed. It is
	// not counted and never matched.
	Idle bool `json:"idle,omitempty"`
	// Effect is what a turn can do at most, at its request. It is for whoever orders turns, and kept
	// in no file.
	Effect Effect `json:"-"`
}

// Effect is what a turn can do at most to what others see, as far as its statements tell it.
type Effect string

// The effects of turns. A turn of several statements has that of the one that does most.
const (
	Anything Effect = ""        // nothing is known of it
	Begins   Effect = "begins"  // begins a transaction, other than a SERIALIZABLE one
	Reads    Effect = "reads"   // reads rows, and locks none
	Changes  Effect = "changes" // changes rows, or locks them, and no more
)

// Address names one event of one run exactly.
type Address struct {
	Worker      string
	Incarnation int
	Event       string
	Nth         int
	Phase       Phase
}

// String writes an address as it appears in output: "a.1 push#2 response".
func (a Address) String() string {
	return fmt.Sprintf("%s.%d %s#%d %s", a.Worker, a.Incarnation, a.Event, a.Nth, a.Phase)
}

// Has tells whether the event answers to name.
func (e Event) Has(name string) bool {
	for _, own := range e.Names {
		if own == name {
			return true
		}
	}
	return false
}

// Addresses are the addresses under which the event can be reached, one for each of its names.
func (e Event) Addresses() []Address {
	addresses := make([]Address, 0, len(e.Names))
	for _, name := range e.Names {
		addresses = append(addresses, Address{
			Worker: e.Worker, Incarnation: e.Incarnation, Event: name, Nth: e.Nth.Of(name), Phase: e.Phase,
		})
	}
	return addresses
}

// String writes an event as one line of a history.
func (e Event) String() string {
	var line strings.Builder
	fmt.Fprintf(&line, "%s.%d %s %s", e.Worker, e.Incarnation, e.Kind, e.Phase)
	for _, name := range e.Names {
		if e.Idle {
			fmt.Fprintf(&line, " %s(idle)", name)
		} else {
			fmt.Fprintf(&line, " %s#%d", name, e.Nth.Of(name))
		}
	}
	if e.Label != "" {
		fmt.Fprintf(&line, " (%s)", e.Label)
	}
	if e.Detail != "" {
		fmt.Fprintf(&line, " %s", e.Detail)
	}
	return line.String()
}
