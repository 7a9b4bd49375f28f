package check

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestText is how many characters of a value are printed before its middle is left out.
const longestText = 240

// longestPart is how many characters of one value of a row are printed, so that every column of the
// row can be read; longestRow those of the whole row.
const (
	longestPart = 60
	longestRow  = 2000
)

// Text is how a value is printed: a text bare when it is a simple word and otherwise quoted with
// its line ends escaped (so that a text "1" is told from the number 1), null, [a, b] and {key:
// value}, the keys sorted. It is never cut; see Shorten.
func Text(value any) string {
	switch v := plain(value).(type) {
	case nil:
		return "null"
	case string:
		if isWord(v) {
			return v
		}
		return strconv.Quote(v)
	case []any:
		return listText(v)
	case Map:
		return mapText(v)
	case unreadable:
		return "(a value of Go type " + v.goType + ")"
	default:
		return fmt.Sprint(v)
	}
}

func listText(values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = Text(value)
	}
	return bracketed(texts)
}

func bracketed(texts []string) string { return "[" + strings.Join(texts, ", ") + "]" }

// mapText prints the entries in the order in which they stand.
func mapText(pairs Map) string {
	texts := make([]string, len(pairs))
	for i, pair := range pairs {
		texts[i] = Text(pair.Key) + ": " + Text(pair.Value)
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// isWord tells whether a text can stand without quotes and be taken for nothing else.
func isWord(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	meaningful := false
	for _, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			meaningful = true
		case !strings.ContainsRune(`_-./:@+#%*\`, r):
			return false
		}
	}
	switch text {
	case "null", "true", "false":
		return false
	}
	_, notNumber := strconv.ParseFloat(text, 64)
	return meaningful && notNumber != nil
}

// Shorten leaves out the middle of a text that is too long for a line, and says how long it is.
func Shorten(text string) string { return shortenTo(text, longestText) }

func shortenTo(text string, most int) string {
	length := utf8.RuneCountInString(text)
	if length <= most {
		return text
	}
	runes := []rune(text)
	keep := most/2 - len(" … (1000000 characters) … ")/2
	return fmt.Sprintf("%s … (%d characters) … %s",
		string(runes[:keep]), length, string(runes[length-keep:]))
}

// brief is a row, or any value, with the middle of each long text in it left out.
func brief(value any) any {
	switch v := plain(value).(type) {
	case string:
		return shortenTo(v, longestPart)
	case []any:
		values := make([]any, len(v))
		for i, each := range v {
			values[i] = brief(each)
		}
		return values
	case Map:
		pairs := make(Map, len(v))
		for i, pair := range v {
			pairs[i] = Pair{Key: pair.Key, Value: brief(pair.Value)}
		}
		return pairs
	default:
		return v
	}
}

// firstDifference says where two texts part, for values whose middle is not printed. It is empty
// when both are printed whole.
func firstDifference(expected, actual string) []string {
	e, a := []rune(expected), []rune(actual)
	if expected == actual || len(e) <= longestText && len(a) <= longestText {
		return nil
	}
	at := 0
	for at < len(e) && at < len(a) && e[at] == a[at] {
		at++
	}
	return []string{fmt.Sprintf("they part at character %d: expected %s, actual %s",
		at+1, around(e, at), around(a, at))}
}

// around is a text's neighbourhood of one place.
func around(text []rune, at int) string {
	const before, after = 20, 40
	from, to := max(0, at-before), min(len(text), at+after)
	neighbourhood := string(text[from:to])
	if from > 0 {
		neighbourhood = "…" + neighbourhood
	}
	if to < len(text) {
		neighbourhood += "…"
	}
	return strconv.Quote(neighbourhood)
}
