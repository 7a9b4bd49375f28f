package clock

import (
	"regexp"
	"slices"
	"strings"
)

// Uncaught finds what in a text of SQL reads the time past the movable clock: CURRENT_TIMESTAMP and
// its kin, which are grammar and no functions, and literals such as 'now'::timestamptz. Comments
// and the insides of other strings are passed over; the bodies of functions ($$…$$) are not. The
// spellings come back as they were written, each once, in the order of their first use.
func Uncaught(sql string) []string {
	var found []string
	add := func(spelling string) {
		if !slices.Contains(found, spelling) {
			found = append(found, spelling)
		}
	}
	code, literals := blank(sql)
	places := keyword.FindAllStringIndex(code, -1)
	for _, literal := range literals {
		if place := aroundLiteral(code, sql, literal); place != nil {
			places = append(places, place)
		}
	}
	slices.SortFunc(places, func(a, b []int) int { return a[0] - b[0] })
	for _, place := range places {
		add(strings.Join(strings.Fields(sql[place[0]:place[1]]), " "))
	}
	return found
}

var (
	keyword = regexp.MustCompile(
		`(?i)\b(CURRENT_TIMESTAMP|CURRENT_TIME|CURRENT_DATE|LOCALTIMESTAMP|LOCALTIME)\b`)
	typeName   = `(timestamptz|timestamp(\s*\(\d\))?(\s+with(out)?\s+time\s+zone)?|timetz|time|date)`
	typeBefore = regexp.MustCompile(`(?i)\b` + typeName + `\s*$`)
	castAfter  = regexp.MustCompile(`(?i)^\s*(::\s*|as\s+)` + typeName + `\b`)
	// relative are the input strings that PostgreSQL reads as the present (its documentation,
	// section 8.5.1.4).
	relative = regexp.MustCompile(`(?i)^\s*(now|today|tomorrow|yesterday)\s*$`)
)

// aroundLiteral is the place of a literal such as 'now' with its type, if it has one.
func aroundLiteral(code, sql string, literal []int) []int {
	if !relative.MatchString(strings.Trim(sql[literal[0]:literal[1]], "'")) {
		return nil
	}
	if before := typeBefore.FindStringIndex(code[:literal[0]]); before != nil {
		return []int{before[0], literal[1]}
	}
	if after := castAfter.FindStringIndex(code[literal[1]:]); after != nil {
		return []int{literal[0], literal[1] + after[1]}
	}
	return nil
}

// blank is the text with comments, strings and quoted names overwritten by spaces, byte for byte,
// and the places of the strings.
func blank(sql string) (code string, literals [][]int) {
	text := []byte(sql)
	wipe := func(from, to int) {
		for at := from; at < to; at++ {
			if text[at] != '\n' {
				text[at] = ' '
			}
		}
	}
	for at := 0; at < len(sql); {
		end := at + 1
		switch {
		case strings.HasPrefix(sql[at:], "--"):
			end = at + len("--") + until(sql[at+len("--"):], "\n")
		case strings.HasPrefix(sql[at:], "/*"):
			end = at + commentLength(sql[at:])
		case sql[at] == '\'':
			end = at + quotedLength(sql[at:], '\'', isEscaped(sql, at))
			literals = append(literals, []int{at, end})
		case sql[at] == '"':
			end = at + quotedLength(sql[at:], '"', false)
		default:
			at = end
			continue
		}
		wipe(at, end)
		at = end
	}
	return string(text), literals
}

func until(text, mark string) int {
	if at := strings.Index(text, mark); at >= 0 {
		return at
	}
	return len(text)
}

// commentLength is the length of a /* comment */, which may hold others.
func commentLength(text string) int {
	depth := 0
	for at := 0; at+1 < len(text); at++ {
		switch text[at : at+2] {
		case "/*":
			depth++
			at++
		case "*/":
			depth--
			at++
			if depth == 0 {
				return at + 1
			}
		}
	}
	return len(text)
}

// quotedLength is the length of a string or quoted name; a doubled mark stands for the mark itself,
// and in an E'…' string a backslash takes the next byte's meaning.
func quotedLength(text string, mark byte, backslashes bool) int {
	for at := 1; at < len(text); at++ {
		switch {
		case backslashes && text[at] == '\\':
			at++
		case text[at] != mark:
		case at+1 < len(text) && text[at+1] == mark:
			at++
		default:
			return at + 1
		}
	}
	return len(text)
}

// isEscaped says whether the string that begins at a quote is an E'…' one.
func isEscaped(sql string, quote int) bool {
	if quote == 0 || (sql[quote-1] != 'E' && sql[quote-1] != 'e') {
		return false
	}
	return quote == 1 || !isWordByte(sql[quote-2])
}

func isWordByte(b byte) bool {
	return b == '_' || b >= 0x80 || b >= '0' && b <= '9' ||
		b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
