package wire

import (
	"strings"

	"lostreply/harness/event"
)

// token is a piece of SQL that a label needs: a word in lower case, a quoted name or a symbol.
type token struct {
	text   string
	quoted bool
	depth  int // of parentheses
}

// piece is one statement of a text, with the tokens that tell what it is.
type piece struct {
	text   string
	tokens []token
	effect event.Effect
}

const (
	// tokensKept bounds what one statement keeps; a hostile text can't balloon it.
	tokensKept = 4096
	// tokensInside is how many tokens of a parenthesis matter: `AS MATERIALIZED (UPDATE ONLY a.b`.
	tokensInside = 12
)

// scanner cuts a text into statements the way the server's lexer does (standard_conforming_strings
// on; PostgreSQL documentation, "Lexical Structure").
type scanner struct {
	text    string
	at      int
	begin   int // of the statement
	depth   int
	inside  int // tokens since the last parenthesis opened
	atomic  int // open blocks of a function body in standard SQL, whose semicolons end nothing
	current []token
	effects effects
	pieces  []piece
}

// splitStatements cuts a text into its statements, comments kept. A text of nothing but white space
// and comments has none; a comment after the last semicolon belongs to the statement before it.
func splitStatements(text string) []piece {
	s := &scanner{text: text}
	for s.at < len(text) {
		s.step()
	}
	s.end(len(text), len(text))
	return s.pieces
}

func (s *scanner) end(at, next int) {
	switch {
	case len(s.current) > 0:
		s.pieces = append(s.pieces, piece{
			text: s.text[s.begin:at], tokens: s.current, effect: s.effects.of(firstWord(s.current)),
		})
	case len(s.pieces) > 0 && strings.TrimSpace(s.text[s.begin:at]) != "":
		s.pieces[len(s.pieces)-1].text += s.text[s.begin:at]
	}
	s.current, s.depth, s.inside, s.atomic = nil, 0, 0, 0
	s.effects = effects{}
	s.begin = next
}

func (s *scanner) step() {
	c := s.text[s.at]
	rest := s.text[s.at:]
	switch {
	case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0:
		s.at++
	case strings.HasPrefix(rest, "--"):
		s.at += lineLength(rest)
	case strings.HasPrefix(rest, "/*"):
		s.at += commentLength(rest)
	case c == '\'':
		s.literal(quotedLength(rest, '\'', false))
	case c == '"':
		s.quotedName(rest)
	case c == '$':
		s.dollar(rest)
	case isWordStart(c):
		s.word(rest)
	case c == ';' && s.depth == 0 && s.atomic == 0:
		s.end(s.at, s.at+1)
		s.at++
	default:
		s.symbol(c)
	}
}

func (s *scanner) add(t token) {
	t.depth = s.depth
	s.inside++
	s.effects.see(t)
	if len(s.current) < tokensKept && (s.depth == 0 || s.depth == 1 && s.inside <= tokensInside) ||
		len(s.current) == 0 {
		s.current = append(s.current, t)
	}
}

func (s *scanner) literal(length int) {
	s.add(token{text: "'"})
	s.at += length
}

func (s *scanner) quotedName(rest string) {
	length := quotedLength(rest, '"', false)
	name := strings.TrimSuffix(rest[1:length], `"`)
	s.add(token{text: strings.ReplaceAll(name, `""`, `"`), quoted: true})
	s.at += length
}

// dollar is a parameter, $1, or a string in dollar quotes.
func (s *scanner) dollar(rest string) {
	tag := 1
	for tag < len(rest) && (isWordStart(rest[tag]) || tag > 1 && isDigit(rest[tag])) {
		tag++
	}
	if tag == len(rest) || rest[tag] != '$' {
		s.symbol('$')
		return
	}
	quote := rest[:tag+1]
	body := strings.Index(rest[len(quote):], quote)
	if body < 0 {
		s.literal(len(rest))
		return
	}
	s.literal(body + 2*len(quote))
}

func (s *scanner) word(rest string) {
	length := 1
	for length < len(rest) && (isWordStart(rest[length]) || isDigit(rest[length]) ||
		rest[length] == '$') {
		length++
	}
	word := strings.ToLower(rest[:length])
	if length < len(rest) && rest[length] == '\'' {
		switch word {
		case "e", "b", "x", "n":
			s.literal(length + quotedLength(rest[length:], '\'', word == "e"))
			return
		}
	}
	s.functionBody(word)
	s.add(token{text: word})
	s.at += length
}

// functionBody follows BEGIN ATOMIC ... END of CREATE FUNCTION.
func (s *scanner) functionBody(word string) {
	switch {
	case len(s.current) == 0 || s.current[0].text != "create":
	case word == "atomic" && s.current[len(s.current)-1].text == "begin":
		s.atomic++
	case s.atomic > 0 && word == "case":
		s.atomic++
	case s.atomic > 0 && word == "end":
		s.atomic--
	}
}

func (s *scanner) symbol(c byte) {
	switch c {
	case '(':
		s.add(token{text: "("})
		s.depth++
		s.inside = 0
	case ')':
		s.depth = max(s.depth-1, 0)
		s.add(token{text: ")"})
	default:
		s.add(token{text: string(rune(c))})
	}
	s.at++
}

func lineLength(rest string) int {
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		return end + 1
	}
	return len(rest)
}

// commentLength is the length of a comment; in SQL they nest.
func commentLength(rest string) int {
	open := 0
	for at := 0; at < len(rest); {
		switch {
		case strings.HasPrefix(rest[at:], "/*"):
			open++
			at += 2
		case strings.HasPrefix(rest[at:], "*/"):
			open--
			at += 2
		default:
			at++
		}
		if open == 0 {
			return at
		}
	}
	return len(rest)
}

// quotedLength is the length of a string that begins with a quote; a doubled quote is part of it.
func quotedLength(rest string, quote byte, backslash bool) int {
	for at := 1; at < len(rest); at++ {
		switch {
		case backslash && rest[at] == '\\':
			at++
		case rest[at] != quote:
		case at+1 < len(rest) && rest[at+1] == quote:
			at++
		default:
			return at + 1
		}
	}
	return len(rest)
}

func isWordStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// fold makes every run of white space one space, so that a name's text is found however the
// statement is laid out.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }
