package check

import (
	"fmt"

	"lostreply/harness/strict"
)

// Count expects a number of rows.
type Count int64

// Keyword is the comparison's word in a scenario.
func (Count) Keyword() string { return "count" }

func (c Count) judge(subject string, table Table) []Line {
	rows := int64(len(table.Rows))
	line := judged(subject, rows == int64(c), fmt.Sprint(int64(c)), fmt.Sprint(rows))
	if line.Verdict == Fail {
		line.Difference = table.listing()
	}
	return []Line{line}
}

// Totals expects some of a journal's own counts, each a line of its own: {requests: 2, sends: 1}.
type Totals []Total

// Keyword is the comparison's word in a scenario.
func (Totals) Keyword() string { return "count" }

func (t Totals) judge(subject string, table Table) []Line {
	var lines []Line
	for _, expected := range t {
		lines = append(lines, judgeTotal(named(subject, expected.Name), expected, table))
	}
	return lines
}

func judgeTotal(name string, expected Total, table Table) Line {
	var known []string
	for _, actual := range table.Totals {
		if actual.Name == expected.Name {
			line := judged(name, actual.Number == expected.Number,
				fmt.Sprint(expected.Number), fmt.Sprint(actual.Number))
			if line.Verdict == Fail {
				line.Difference = table.listing()
			}
			return line
		}
		known = append(known, actual.Name)
	}
	why := strict.Unknown("count", expected.Name, known)
	if len(known) == 0 {
		why = fmt.Sprintf("only a journal has counts by name, such as %s: give `count` one number, "+
			"the number of rows", expected.Name)
	}
	return undecided(name, fmt.Sprint(expected.Number), "no such count", why)
}
