package wire

import (
	"strings"

	"lostreply/harness/event"
)

// effects gathers what a statement can do at most, while its text is cut: every word counts, also
// those that no label needs.
type effects struct {
	word   token // the latest
	lead   string
	writes bool // it says a word of those that change rows or lock them
	unsure bool // it calls something that is not known, or looks at what is no row
	strict bool // it asks for SERIALIZABLE
}

// writing are the words that a statement says that changes rows or locks them.
var writing = wordsOf("insert update delete merge into for")

// known are the words that may stand before a parenthesis: those of the grammar, and functions that
// only compute from what they are given and from the time.
var known = wordsOf(`
	select values in any some all and or not on as over filter group by where having when then
	else case from join using exists distinct union except intersect with materialized limit
	offset fetch set conflict order array row default returning is between like ilike similar
	extract cast coalesce nullif greatest least count sum avg min max array_agg string_agg
	json_agg jsonb_agg json_build_object jsonb_build_object bool_and bool_or row_number rank
	dense_rank lag lead now clock_timestamp statement_timestamp transaction_timestamp
	current_timestamp make_interval interval date_trunc date_part to_char to_timestamp epoch
	lower upper length trim trim_scale substring substr left right replace concat concat_ws
	position strpos abs round floor ceil mod numeric decimal varchar char cardinality
	array_length unnest gen_random_uuid md5 to_jsonb to_json encode decode`)

// listed are the words after which a name and a parenthesis are a table or alias and its columns.
var listed = wordsOf("into as with recursive")

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	return words
}

// see takes the next token.
func (e *effects) see(t token) {
	previous := e.word
	e.word = t
	switch {
	case t.text == "(" && !t.quoted:
		e.call(previous)
	case !isName(t):
	case previous.text == "." && !previous.quoted:
		e.unsure = e.unsure || !t.quoted && strings.HasPrefix(t.text, "pg_")
	default:
		e.lead = previous.text
		e.writes = e.writes || !t.quoted && writing[t.text]
		e.strict = e.strict || !t.quoted && t.text == "serializable"
		e.unsure = e.unsure || strings.HasPrefix(t.text, "pg_")
	}
}

// call judges what stands before a parenthesis.
func (e *effects) call(before token) {
	if isName(before) && (before.quoted || !known[before.text]) && !listed[e.lead] {
		e.unsure = true
	}
}

// of is what a statement with this first word can do at most.
func (e *effects) of(first string) event.Effect {
	switch first {
	case "begin", "start":
		if !e.strict {
			return event.Begins
		}
	case "show":
		return event.Reads
	case "select", "with", "values", "table":
		if !e.unsure && !e.writes {
			return event.Reads
		}
		fallthrough
	case "insert", "update", "delete", "merge":
		if !e.unsure {
			return event.Changes
		}
	}
	return event.Anything
}

// firstWord is the first of a statement's tokens that is no parenthesis.
func firstWord(tokens []token) string {
	for _, t := range tokens {
		if t.text != "(" {
			return t.text
		}
	}
	return ""
}

// effect is what the statements of a part can do at most, taken together.
func (p *part) effect() event.Effect {
	joined, first := event.Anything, true
	for _, script := range p.spoken {
		if script.cutOff || script.unseen {
			return event.Anything
		}
		for _, own := range script.statements {
			switch {
			case first || own.effect == joined:
				joined, first = own.effect, false
			case own.effect == event.Anything || joined == event.Anything:
				return event.Anything
			default:
				joined = event.Changes
			}
		}
	}
	return joined
}
