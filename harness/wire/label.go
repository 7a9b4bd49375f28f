package wire

import (
	"slices"
	"strings"
)

// sight is what the tokenizer sees in a statement.
type sight struct {
	label   string // "update delivery_task", "with-update river_job", "commit"
	command string // the words the server answers with, without counts: "UPDATE", "COMMIT"
	// hidden marks a statement whose answer does not count what it changed: a SELECT or INSERT over
	// a WITH query that changes data.
	hidden bool
}

// see judges a statement by its tokens; there is at least one.
func see(tokens []token) sight {
	for len(tokens) > 1 && tokens[0].text == "(" {
		tokens = tokens[1:]
	}
	first := tokens[0].text
	switch first {
	case "with":
		return seeWith(tokens)
	case "select", "insert", "update", "delete", "merge", "values", "table":
		return sight{label: join(first, target(tokens)), command: strings.ToUpper(first)}
	case "begin", "start":
		return sight{label: "begin", command: "BEGIN"}
	case "commit", "end":
		return seeEnd("commit", tokens)
	case "rollback", "abort":
		return seeEnd("rollback", tokens)
	case "create", "alter", "drop":
		return seeDefinition(tokens)
	case "prepare":
		if second(tokens) == "transaction" {
			return sight{label: "prepare transaction", command: "PREPARE TRANSACTION"}
		}
	case "savepoint", "release", "do", "explain", "declare", "fetch", "move", "close":
		return sight{label: first, command: strings.ToUpper(first)}
	}
	return sight{label: join(first, nameAfter(tokens[1:], "table", "only", "local", "session")),
		command: strings.ToUpper(first)}
}

// seeWith looks past the WITH queries to the statement itself; where that only reads, the first
// WITH query that changes data is what the statement is about.
func seeWith(tokens []token) sight {
	var changing []token
	depth := tokens[0].depth
	for before, t := range tokens[1:] {
		i, previous := before+1, tokens[before]
		opened := t.depth == depth+1 && previous.text == "(" && previous.depth == depth
		if opened && changing == nil && changes(t.text) {
			changing = tokens[i:]
		}
		main := changes(t.text) || t.text == "select" || t.text == "values"
		if !main || t.depth != depth || t.quoted || previous.text != ")" {
			continue
		}
		seen := sight{label: join("with-"+t.text, target(tokens[i:])),
			command: strings.ToUpper(t.text), hidden: changing != nil}
		if !changes(t.text) && changing != nil {
			seen.label = join("with-"+changing[0].text, target(changing))
		}
		return seen
	}
	return sight{label: "with", command: "SELECT", hidden: true}
}

func changes(word string) bool {
	return word == "insert" || word == "update" || word == "delete" || word == "merge"
}

// target is the table that a statement begins with: after INTO, FROM or UPDATE, at its own depth. A
// SELECT from no table has the function that it calls.
func target(tokens []token) string {
	depth := tokens[0].depth
	switch tokens[0].text {
	case "update", "table":
		return nameAfter(tokens[1:], "only")
	case "values":
		return ""
	}
	called := ""
	for i, t := range tokens[1:] {
		if t.depth < depth {
			break
		}
		if t.depth == depth && !t.quoted && (t.text == "from" || t.text == "into") {
			return nameAfter(tokens[i+2:], "only", "table", "temp", "temporary", "unlogged")
		}
		if i == 0 && isName(t) {
			called = nameAfter(tokens[1:])
		}
	}
	if tokens[0].text == "select" && called != "" && followedByCall(tokens[1:]) {
		return called
	}
	return ""
}

// followedByCall tells whether a name, schemas before it included, is followed by a parenthesis.
func followedByCall(tokens []token) bool {
	i := 1
	for i+1 < len(tokens) && tokens[i].text == "." {
		i += 2
	}
	return i < len(tokens) && tokens[i].text == "("
}

// seeEnd tells the ends of a transaction from what only looks like one.
func seeEnd(word string, tokens []token) sight {
	for _, t := range tokens[1:] {
		switch t.text {
		case "to":
			return sight{label: word + " to", command: "ROLLBACK"}
		case "prepared":
			return sight{label: word + " prepared", command: strings.ToUpper(word) + " PREPARED"}
		}
	}
	return sight{label: word, command: strings.ToUpper(word)}
}

// seeDefinition is CREATE, ALTER, DROP: the kind of the object, and its name.
func seeDefinition(tokens []token) sight {
	for i, t := range tokens[1:] {
		switch t.text {
		case "or", "replace", "temp", "temporary", "global", "local", "unlogged", "unique", "if",
			"not", "exists", "recursive", "constraint", "foreign", "materialized":
			continue
		}
		name := nameAfter(tokens[i+2:], "if", "not", "exists", "concurrently", "only")
		return sight{label: join(tokens[0].text+" "+t.text, name),
			command: strings.ToUpper(tokens[0].text + " " + t.text)}
	}
	return sight{label: tokens[0].text, command: strings.ToUpper(tokens[0].text)}
}

// nameAfter is the name at the beginning of tokens, with its schemas, noise words skipped.
func nameAfter(tokens []token, noise ...string) string {
	for len(tokens) > 0 && !tokens[0].quoted && slices.Contains(noise, tokens[0].text) {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 || !isName(tokens[0]) {
		return ""
	}
	name := tokens[0].text
	for i := 1; i+1 < len(tokens) && tokens[i].text == "." && isName(tokens[i+1]); i += 2 {
		name += "." + tokens[i+1].text
	}
	return name
}

func isName(t token) bool { return t.quoted || t.text != "" && isWordStart(t.text[0]) }

func second(tokens []token) string {
	if len(tokens) < 2 {
		return ""
	}
	return tokens[1].text
}

func join(verb, name string) string {
	if name == "" {
		return verb
	}
	return verb + " " + name
}
