package process

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable is the line's text for a reader's terminal: control characters and what is not UTF-8
// are written as Go writes them (\x1b), so that no worker's output can move the cursor, hide lines
// or change colours in a report.
func (l Line) Printable() string {
	clean := strings.IndexFunc(l.Text, func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsPrint(r) && r != '\t'
	})
	if clean < 0 {
		return l.Text
	}
	var text strings.Builder
	for rest := l.Text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) && r != '\t' {
			quoted := strconv.Quote(rest[:size])
			text.WriteString(quoted[1 : len(quoted)-1])
		} else {
			text.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return text.String()
}
