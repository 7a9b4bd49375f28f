package strict

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Nearest is the candidate that a misspelt word most likely stands for. It is false when none is
// near: a wrong suggestion is worse than none. Of two that are equally near, the first in
// alphabetical order is taken.
func Nearest(word string, candidates []string) (string, bool) {
	best, bestDistance := "", -1
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		distance, near := distanceTo(strings.ToLower(word), strings.ToLower(candidate))
		if near && (bestDistance < 0 || distance < bestDistance) {
			best, bestDistance = candidate, distance
		}
	}
	return best, bestDistance >= 0
}

// distanceTo is the number of edits between two words, and whether they are near: one edit (not of
// a single letter), two with the same first letter, two neighbours changed over, a third of the
// longer word, or a beginning of at least three letters.
func distanceTo(word, candidate string) (int, bool) {
	short, long := utf8.RuneCountInString(word), utf8.RuneCountInString(candidate)
	if short > long {
		short, long = long, short
	}
	begins := utf8.RuneCountInString(word) >= 3 && strings.HasPrefix(candidate, word)
	if short == 0 || (!begins && long-short > max(2, long/3)) {
		return 0, false // Far by length alone: a megabyte of text is never compared.
	}
	distance := levenshtein.ComputeDistance(word, candidate)
	sameStart := word[0] == candidate[0]
	switch {
	case distance == 2 && transposed(word, candidate):
		return distance, short >= 3
	case distance == 0, begins:
		return distance, true
	case distance == 1:
		return distance, long >= 3
	case distance == 2 && sameStart:
		return distance, short >= 3 && long >= 4
	}
	return distance, distance <= long/3
}

// transposed tells whether two neighbouring letters of a word, changed over, make the other.
func transposed(word, other string) bool {
	a, b := []rune(word), []rune(other)
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && string(a[i+2:]) == string(b[i+2:])
		}
	}
	return false
}

// Unknown is the message for a word that is not among the valid ones, for example
//
//	unknown program "wrok": did you mean "work"? valid: create, work
//
// What names the kind of word; the valid words come out sorted.
func Unknown(what, word string, valid []string) string {
	return unknown(fmt.Sprintf("unknown %s %s", what, quote(word)), "valid", word, valid)
}

// unknown adds the nearest word and the list of all to the beginning of a message.
func unknown(beginning, listWord, word string, valid []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(valid)))
	list := fmt.Sprintf("%s: %s", listWord, strings.Join(sorted, ", "))
	if len(sorted) == 0 {
		list = fmt.Sprintf("%s: nothing", listWord)
	}
	if nearest, ok := Nearest(word, sorted); ok {
		return fmt.Sprintf("%s: did you mean %q? %s", beginning, nearest, list)
	}
	return fmt.Sprintf("%s: %s", beginning, list)
}

// quote writes a word from a file into a message, shortened when it is long.
func quote(word string) string { return fmt.Sprintf("%q", shorten(word)) }

// shorten keeps a message on one readable line, however long the text in the file is.
func shorten(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
