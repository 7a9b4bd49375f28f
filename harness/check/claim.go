package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CompareClaim judges whether a worker printed a line that holds text, at the boundaries of words:
// "attempt=1" is not in "attempt=12". What a worker prints is its own word, so the line is marked
// as a claim. Lines are the worker's whole output, drained to its end.
func CompareClaim(worker, text string, lines []string) Line {
	name := named(worker, "prints")
	if strings.TrimSpace(text) == "" {
		return undecided(name, Text(text), "", "an empty text is in every line")
	}
	for _, line := range lines {
		if containsWords(line, text) {
			found := judged(name, true, Text(text), Text(line))
			found.Claim = true
			return found
		}
	}
	actual := "no output"
	if nearest, any := nearestLine(text, lines); any {
		actual = Text(nearest)
	}
	missing := judged(name, false, Text(text), actual)
	missing.Claim = true
	missing.Difference = lastLines(lines)
	return missing
}

// CompareClaimCount judges how many lines of workers hold text, at the boundaries of words: of
// eight workers that create the same thing, one claims to have done it. No output at all is
// inconclusive: who never spoke claimed nothing.
func CompareClaimCount(workers, text string, lines []string, expected int64) Line {
	name := named(workers, "prints "+Text(text))
	if strings.TrimSpace(text) == "" {
		return undecided(name, fmt.Sprint(expected), "", "an empty text is in every line")
	}
	if len(lines) == 0 {
		line := undecided(name, fmt.Sprint(expected), "no output", "there was no line to judge")
		line.Claim = true
		return line
	}
	var count int64
	for _, line := range lines {
		if containsWords(line, text) {
			count++
		}
	}
	line := judged(name, count == expected, fmt.Sprint(expected), fmt.Sprint(count))
	line.Claim = true
	if line.Verdict == Fail {
		line.Difference = lastLines(lines)
	}
	return line
}

// containsWords tells whether text is in line without cutting a word at either of its ends.
func containsWords(line, text string) bool {
	for from := 0; ; {
		at := strings.Index(line[from:], text)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		first, _ := utf8.DecodeRuneInString(text)
		last, size := utf8.DecodeLastRuneInString(text)
		after, _ := utf8.DecodeRuneInString(line[at+len(text):])
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return true
		}
		from = at + max(1, len(text)-size)
		if from > len(line) {
			return false
		}
	}
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// nearestLine is the line that shares the most words with text; the later one of two.
func nearestLine(text string, lines []string) (string, bool) {
	words := strings.Fields(text)
	best, shared := -1, -1
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		count := 0
		for _, word := range words {
			if containsWords(line, word) {
				count++
			}
		}
		if count >= shared {
			best, shared = i, count
		}
	}
	if best < 0 {
		return "", false
	}
	return lines[best], true
}

func lastLines(lines []string) []string {
	const most = 5
	var last []string
	for _, line := range lines[max(0, len(lines)-most):] {
		last = append(last, "printed: "+Shorten(Text(line)))
	}
	return last
}
