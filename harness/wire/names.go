package wire

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
	// Params are the values that $1, $2, ... must have, by number from 1: text, integers in decimal,
	// UUIDs in any of their spellings. None: the statement alone decides.
	Params map[int]string
}

// Namer maps a statement to the named events that it is. It is asked once for each text, and must
// be safe for use by several connections.
type Namer interface {
	Matches(statement Statement) []Match
}
