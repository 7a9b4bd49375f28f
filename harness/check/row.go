package check

import "fmt"

// Row expects exactly one row. Each entry names a column and its value; columns that it does not
// name may hold anything. Each named column is a line of its own.
type Row Map

// Keyword is the comparison's word in a scenario.
func (Row) Keyword() string { return "row" }

func (r Row) judge(subject string, table Table) []Line {
	var lines []Line
	for _, pair := range r {
		lines = append(lines, judgeRowColumn(named(subject, pair.Key), pair, table))
	}
	return lines
}

func judgeRowColumn(name string, expected Pair, table Table) Line {
	index, trouble := table.column(expected.Key)
	if trouble != "" {
		return undecided(name, Text(expected.Value), "no such column", trouble)
	}
	switch len(table.Rows) {
	case 0:
		line := judged(name, false, Text(expected.Value), "no rows")
		line.Why = "exactly 1 row was expected"
		return line
	case 1:
		return judgeValue(name, expected.Value, table.Rows[0][index])
	}
	values := make([]any, len(table.Rows))
	for i, row := range table.Rows {
		values[i] = row[index]
	}
	actual := fmt.Sprintf("%d rows: %s", len(values), listText(values))
	line := judged(name, false, Text(expected.Value), actual)
	line.Why = "exactly 1 row was expected"
	line.Difference = table.listing()
	return line
}

// judgeValue compares two values.
func judgeValue(name string, expected, actual any) Line {
	line := judged(name, Equal(expected, actual), Text(expected), Text(actual))
	line.Why = mistaken(expected, actual)
	return line
}
