package wire

import "strings"

// Statement is one SQL statement as a name sees it.
type Statement struct {
	// Text is the statement as it was sent, comments kept.
	Text string
	// Label is the tokenizer's view: "update delivery_task", "with-update river_job", "commit".
	Label string
	// Command is the word the server answers with: "UPDATE", "COMMIT".
	Command string
}

// Match is a named event that a statement is, once its parameters are the ones given.
type Match struct {
	Name string
	// Params are the values that $1, $2, ... must have, by number from 1: text, integers in
	// decimal, UUIDs in any of their spellings. None: the statement alone decides.
	Params map[int]string
}

// Namer maps a statement to the named events that it is. It is asked once for each text, and must
// be safe for use by several connections. `commit` is built in and not its affair.
type Namer interface {
	Matches(statement Statement) []Match
}

// NamedEvent is an entry of a system's `events:` block. A statement is the event when it has
// everything that is given; an entry that gives nothing matches nothing.
type NamedEvent struct {
	Name string
	// Contains is found in the statement's text, comments kept, white space folded on both sides.
	Contains string
	// Label and Command are equal to the statement's, upper and lower case alike.
	Label   string
	Command string
	// Params are as in Match.
	Params map[int]string
}

// Names is the Namer of a list of named events. A statement can be several of them.
type Names []NamedEvent

// Matches lists the named events that the statement is, in the order of the list.
func (n Names) Matches(statement Statement) []Match {
	var matches []Match
	text := fold(statement.Text)
	for _, named := range n {
		if named.Contains == "" && named.Label == "" && named.Command == "" {
			if len(named.Params) == 0 {
				continue
			}
		}
		if strings.Contains(text, fold(named.Contains)) &&
			(named.Label == "" || strings.EqualFold(fold(named.Label), statement.Label)) &&
			(named.Command == "" || strings.EqualFold(fold(named.Command), statement.Command)) {
			matches = append(matches, Match{Name: named.Name, Params: named.Params})
		}
	}
	return matches
}
