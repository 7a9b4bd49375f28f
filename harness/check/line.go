package check

import (
	"fmt"
	"strings"
)

// Line is one judgement: what was compared, what it came to, and what a reader needs to see why. It
// holds text only, so that a saved result can be printed again without running anything.
type Line struct {
	Verdict Verdict `json:"verdict"`
	// Name is what was judged, and the name by which a variant says which check must fail:
	// "attempts", "task state", "push sends". It does not depend on what was read.
	Name     string `json:"name"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
	// Why says, in words, what Expected and Actual can't: why nothing could be judged, or how the
	// expectation was probably meant.
	Why string `json:"why,omitempty"`
	// Difference says, part by part, how a list or table differs from the expected one.
	Difference []string `json:"difference,omitempty"`
	// Exposes is the damage that the line is the witness of, in a negative control.
	Exposes string `json:"exposes,omitempty"`
	// Claim marks what a worker says of itself: it is checked, but it is not a fact.
	Claim bool `json:"claim,omitempty"`
}

// Word is the word that a line begins with: ok, FAIL or INCONCLUSIVE.
func (l Line) Word() string {
	switch l.Verdict {
	case Pass:
		return "ok"
	case Fail:
		return "FAIL"
	default:
		return "INCONCLUSIVE"
	}
}

// Statement is a line without its first word.
func (l Line) Statement() string {
	statement := l.Name
	if l.Exposes != "" {
		statement = "negative control exposes: " + l.Exposes
		if l.Verdict == Fail {
			statement = "negative control did not expose: " + l.Exposes
		}
	}
	if l.Expected == "" && l.Actual == "" {
		return statement
	}
	return fmt.Sprintf("%s (expected=%s, actual=%s)", statement, l.Expected, l.Actual)
}

// String is the line as it is printed and as evidence holds it, without indentation. The words ok,
// FAIL and note take four columns; INCONCLUSIVE is longer, and stands out.
func (l Line) String() string { return fmt.Sprintf("%-4s %s", l.Word(), l.Statement()) }

// Explain is what is printed beneath a line that did not pass: why, and the difference part by
// part.
func Explain(line Line) []string {
	if line.Verdict == Pass {
		return nil
	}
	var explanation []string
	if line.Why != "" {
		explanation = append(explanation, line.Why)
	}
	return append(explanation, line.Difference...)
}

// judged is a line that passes when held is true and fails otherwise.
func judged(name string, held bool, expected, actual string) Line {
	line := Line{Verdict: Fail, Name: name, Expected: Shorten(expected), Actual: Shorten(actual)}
	if held {
		line.Verdict = Pass
	} else {
		line.Difference = firstDifference(expected, actual)
	}
	return line
}

// undecided is a line that could not be judged.
func undecided(name, expected, actual, why string) Line {
	return Line{
		Verdict: Inconclusive, Name: name,
		Expected: Shorten(expected), Actual: Shorten(actual), Why: why,
	}
}

// named is the name of a part of a subject: "task state".
func named(subject string, part string) string {
	return strings.TrimSpace(subject + " " + part)
}
