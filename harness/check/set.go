package check

import (
	"fmt"
	"slices"
	"strings"
)

// Set expects the values of one column in any order, each as often as it is listed.
type Set struct {
	// Field names the column; empty when there is only one.
	Field  string
	Values []any
}

// Keyword is the comparison's word in a scenario.
func (Set) Keyword() string { return "set" }

func (s Set) judge(subject string, table Table) []Line {
	name, expected := named(subject, s.Field), listText(s.Values)
	values, trouble := table.values(s.Field)
	if trouble != "" {
		return []Line{undecided(name, expected, "no such column", trouble)}
	}
	found, missing, unexpected := s.match(values)
	// What was read is printed in the expected order, so that the same set always reads the same.
	line := judged(name, len(missing)+len(unexpected) == 0, expected,
		listText(slices.Concat(found, unexpected)))
	for _, value := range missing {
		line.Difference = append(line.Difference, "missing: "+Shorten(Text(value)))
	}
	for i, value := range unexpected {
		line.Difference = append(line.Difference, "unexpected: "+Shorten(Text(value)))
		if line.Why == "" && i < len(missing) {
			line.Why = mistakenAmong(missing, value)
		}
	}
	line.Difference = atMost(line.Difference, "differences")
	return []Line{line}
}

// match pairs the expected values with those that were read.
func (s Set) match(values []any) (found, missing, unexpected []any) {
	unexpected = slices.Clone(values)
	for _, expected := range s.Values {
		at := slices.IndexFunc(unexpected, func(value any) bool { return Equal(expected, value) })
		if at < 0 {
			missing = append(missing, expected)
			continue
		}
		found = append(found, unexpected[at])
		unexpected = slices.Delete(unexpected, at, at+1)
	}
	slices.SortStableFunc(unexpected, func(a, b any) int {
		return strings.Compare(Text(a), Text(b))
	})
	return found, missing, unexpected
}

func mistakenAmong(missing []any, actual any) string {
	for _, expected := range missing {
		if why := mistaken(expected, actual); why != "" {
			return why
		}
	}
	return ""
}

// atMost cuts a long explanation short, saying how much more there is.
func atMost(lines []string, what string) []string {
	const most = 10
	if len(lines) <= most+1 {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("… and %d more %s", len(lines)-most, what))
}
