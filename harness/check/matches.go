package check

import (
	"fmt"
	"regexp"
)

// Matches expects every value of one column to match a regular expression, which is not anchored by
// itself. Null matches nothing; a number is matched as it is printed.
type Matches struct {
	// Field names the column; empty when there is only one.
	Field   string
	Pattern *regexp.Regexp
}

// Keyword is the comparison's word in a scenario.
func (Matches) Keyword() string { return "matches" }

func (m Matches) judge(subject string, table Table) []Line {
	name := named(subject, m.Field)
	if m.Pattern == nil {
		return []Line{undecided(name, "", "", "`matches` needs a regular expression")}
	}
	expected := "/" + m.Pattern.String() + "/"
	values, trouble := table.values(m.Field)
	if trouble != "" {
		return []Line{undecided(name, expected, "no such column", trouble)}
	}
	if len(values) == 0 {
		return []Line{undecided(name, expected, "no rows", "there was no value to judge")}
	}
	var others []string
	for i, value := range values {
		if !m.holds(value) {
			others = append(others,
				fmt.Sprintf("at %d: %s does not match", i+1, Shorten(Text(value))))
		}
	}
	line := judged(name, len(others) == 0, expected, eachText(values))
	line.Difference = nil
	if len(values) > 1 {
		line.Difference = atMost(others, "values")
	}
	return []Line{line}
}

func (m Matches) holds(value any) bool {
	switch v := plain(value).(type) {
	case nil:
		return false
	case string:
		return m.Pattern.MatchString(v)
	default:
		return m.Pattern.MatchString(Text(v))
	}
}
