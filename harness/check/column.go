package check

// Column expects the values of one column, in order.
type Column struct {
	// Field names the column; empty when there is only one.
	Field  string
	Values []any
}

// Keyword is the comparison's word in a scenario.
func (Column) Keyword() string { return "column" }

func (c Column) judge(subject string, table Table) []Line {
	name, expected := named(subject, c.Field), listText(c.Values)
	values, trouble := table.values(c.Field)
	if trouble != "" {
		return []Line{undecided(name, expected, "no such column", trouble)}
	}
	changes := compareLists(len(c.Values), len(values), func(i, j int) bool {
		return Equal(c.Values[i], values[j])
	})
	line := judged(name, changes.none(), expected, listText(values))
	line.Why = c.why(values, changes)
	if len(c.Values) > 1 || len(values) > 1 {
		line.Difference = append(line.Difference, changes.describe(description{
			expected: func(i int) string { return Shorten(Text(c.Values[i])) },
			actual:   func(j int) string { return Shorten(Text(values[j])) },
		})...)
	}
	return []Line{line}
}

func (c Column) why(values []any, changes changes) string {
	for i := range min(len(values), len(c.Values)) {
		if why := mistaken(c.Values[i], values[i]); why != "" {
			return why
		}
	}
	if changes.orderOnly() {
		return "the same values in another order; `set` compares without order"
	}
	return ""
}
