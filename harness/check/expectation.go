package check

import (
	"fmt"
	"strings"
)

// Expectation is what a scenario expects of a table.
type Expectation struct {
	Comparison Comparison
	// Title is what the scenario calls the check; empty when lines are named after the subject.
	Title string
	// Of names rows that must exist for the check to mean anything: "no send without an order" says
	// nothing when there are no orders. Nil when the scenario names none.
	Of *Existing
	// Exposes is the damage that the check is the witness of, in a negative control; else empty.
	Exposes string
}

// Existing is a table that must not be empty.
type Existing struct {
	Name  string
	Table Table
}

// Comparison is one way to judge a table. Each gives the same lines, by name, whatever the table
// holds, so that a variant can name the check that must fail and counts do not change with results.
type Comparison interface {
	// Keyword is the comparison's word in a scenario.
	Keyword() string
	judge(subject string, table Table) []Line
}

// Compare judges a table. Subject is how the scenario calls it; lines are named after it, or after
// the check's title.
func Compare(subject string, table Table, expectation Expectation) []Line {
	lines := compare(subject, table, expectation)
	if expectation.Title == "" {
		return lines
	}
	for i := range lines {
		part, isPart := strings.CutPrefix(lines[i].Name, subject+" ")
		if len(lines) == 1 || !isPart {
			part = ""
		}
		lines[i].Name = named(expectation.Title, part)
	}
	return lines
}

func compare(subject string, table Table, expectation Expectation) []Line {
	if expectation.Comparison == nil {
		return []Line{undecided(subject, "", "", "the check compares with nothing")}
	}
	if trouble := table.trouble(); trouble != "" {
		line := undecided(subject, expectation.Comparison.Keyword(), "unreadable", trouble)
		line.Exposes = expectation.Exposes
		return []Line{line}
	}
	lines := expectation.Comparison.judge(subject, table)
	if len(lines) == 0 {
		why := fmt.Sprintf("`%s` names nothing to compare", expectation.Comparison.Keyword())
		lines = []Line{undecided(subject, "", "", why)}
	}
	if expectation.Exposes != "" {
		lines = []Line{witness(subject, lines, expectation.Exposes)}
	}
	if why := groundless(table, expectation); why != "" {
		for i := range lines {
			ground(&lines[i], expectation, why)
		}
	}
	return lines
}

// ground makes a line inconclusive that has nothing to stand on. A rule about existing rows takes
// the meaning from a failure too; a missing witness is a failure all the same.
func ground(line *Line, expectation Expectation, why string) {
	if expectation.Of == nil && line.Verdict != Pass {
		return
	}
	line.Verdict, line.Why, line.Difference = Inconclusive, why, nil
}

// groundless says why a judgement would mean nothing: the rows that it is about don't exist, or the
// damage it is the witness of is an absence that nothing grounds.
func groundless(table Table, expectation Expectation) string {
	if of := expectation.Of; of != nil {
		if of.Table.empty() {
			return fmt.Sprintf("%s is empty, so nothing could have been seen", of.Name)
		}
		return ""
	}
	if expectation.Exposes == "" || !table.empty() {
		return ""
	}
	return "nothing was seen, and nothing is no witness: name with `of` the rows that must exist"
}

// witness joins the lines of one check into one: a negative control's witness is one sentence.
func witness(subject string, lines []Line, exposes string) Line {
	if len(lines) == 1 {
		lines[0].Exposes = exposes
		return lines[0]
	}
	joined := Line{Name: subject, Exposes: exposes}
	var verdicts []Verdict
	var expected, actual, reasons []string
	for _, line := range lines {
		part := strings.TrimPrefix(line.Name, subject+" ")
		verdicts = append(verdicts, line.Verdict)
		expected = append(expected, part+": "+line.Expected)
		actual = append(actual, part+": "+line.Actual)
		if line.Why != "" {
			reasons = append(reasons, part+": "+line.Why)
		}
		joined.Difference = append(joined.Difference, line.Difference...)
	}
	joined.Verdict = Worst(verdicts...)
	joined.Expected = "{" + strings.Join(expected, ", ") + "}"
	joined.Actual = "{" + strings.Join(actual, ", ") + "}"
	joined.Why = strings.Join(reasons, "; ")
	return joined
}
