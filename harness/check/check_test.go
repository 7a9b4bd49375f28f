package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/check"
)

// comparisonCase is one comparison with the exact output that a reader gets.
type comparisonCase struct {
	name        string
	subject     string
	table       check.Table
	expectation check.Expectation
	want        string
}

func runCases(t *testing.T, cases []comparisonCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := printed(check.Compare(c.subject, c.table, c.expectation))
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got); diff != "" {
				t.Errorf("output differs (-want +got):\n%s", diff)
			}
		})
	}
}

// printed is lines as a reporter prints them, each with its explanation beneath.
func printed(lines []check.Line) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line.String() + "\n")
		for _, explanation := range check.Explain(line) {
			text.WriteString("     " + explanation + "\n")
		}
	}
	return text.String()
}

// tableOf is a table with one row for each list of values.
func tableOf(columns string, rows ...[]any) check.Table {
	return check.Table{Columns: strings.Fields(columns), Rows: rows}
}

// outcomes is a table of one column.
func outcomes(values ...any) check.Table {
	table := check.Table{Columns: []string{"outcome"}}
	for _, value := range values {
		table.Rows = append(table.Rows, []any{value})
	}
	return table
}

func expecting(comparison check.Comparison) check.Expectation {
	return check.Expectation{Comparison: comparison}
}

func column(values ...any) check.Column { return check.Column{Values: values} }

func set(values ...any) check.Set { return check.Set{Values: values} }
