package check

import (
	"fmt"
	"math/big"
)

// Range expects every value of one column to be a number within bounds, the bounds included.
type Range struct {
	// Field names the column; empty when there is only one.
	Field string
	// Min and Max are numbers; nil where there is no bound.
	Min, Max any
}

// Keyword is the comparison's word in a scenario.
func (Range) Keyword() string { return "range" }

func (r Range) judge(subject string, table Table) []Line {
	name, expected := named(subject, r.Field), r.text()
	values, trouble := table.values(r.Field)
	if trouble != "" {
		return []Line{undecided(name, expected, "no such column", trouble)}
	}
	if trouble := r.trouble(); trouble != "" {
		return []Line{undecided(name, expected, eachText(values), trouble)}
	}
	if len(values) == 0 {
		return []Line{undecided(name, expected, "no rows", "there was no value to judge")}
	}
	var outside []string
	for i, value := range values {
		if _, isText := value.(string); isText {
			return []Line{undecided(name, expected, eachText(values),
				"a range is of numbers, and the column is text")}
		}
		if !r.holds(value) {
			outside = append(outside, fmt.Sprintf("at %d: %s is not %s", i+1, Text(value), expected))
		}
	}
	line := judged(name, len(outside) == 0, expected, eachText(values))
	if len(values) > 1 {
		line.Difference = atMost(outside, "values")
	}
	return []Line{line}
}

func (r Range) holds(value any) bool {
	number, isDecimal := decimal(plain(value))
	if !isDecimal {
		return false
	}
	lower, upper := bound(r.Min), bound(r.Max)
	return (lower == nil || number.Cmp(lower) >= 0) && (upper == nil || number.Cmp(upper) <= 0)
}

// trouble says why no value could ever be within the bounds, or every value would be.
func (r Range) trouble() string {
	lower, upper := bound(r.Min), bound(r.Max)
	switch {
	case r.Min != nil && lower == nil, r.Max != nil && upper == nil:
		return "the bounds of a range are numbers"
	case lower == nil && upper == nil:
		return "a range needs `min`, `max` or both"
	case lower != nil && upper != nil && lower.Cmp(upper) > 0:
		return "`min` is above `max`"
	default:
		return ""
	}
}

func (r Range) text() string {
	switch {
	case r.Max == nil:
		return ">= " + Text(r.Min)
	case r.Min == nil:
		return "<= " + Text(r.Max)
	default:
		return Text(r.Min) + ".." + Text(r.Max)
	}
}

func bound(value any) *big.Rat {
	number, _ := decimal(plain(value))
	return number
}

// eachText prints what a comparison of every value saw: a lone value without brackets.
func eachText(values []any) string {
	if len(values) == 1 {
		return Text(values[0])
	}
	return listText(values)
}
