package check

import (
	"fmt"
	"strings"

	"lostreply/harness/strict"
)

// Table is what a fact, a journal or a file reads as.
type Table struct {
	// Columns are the names of the columns; they are known even when there are no rows.
	Columns []string
	// Rows hold one value for each column, in the order in which they were read.
	Rows [][]any
	// Totals are a journal's own counts (requests, sends, …). A fact has none.
	Totals []Total
}

// Total is one named count.
type Total struct {
	Name   string
	Number int64
}

// column finds a column by its name. The second value says what is wrong when there is not exactly
// one: the scenario is at fault then, not what it tests.
func (t Table) column(name string) (int, string) {
	found := -1
	for i, column := range t.Columns {
		if column != name {
			continue
		}
		if found >= 0 {
			return -1, fmt.Sprintf("two columns are named %s: give them different names", name)
		}
		found = i
	}
	if found < 0 {
		return -1, strict.Unknown("column", name, t.Columns)
	}
	return found, ""
}

// values are those of the column named by field, or of the only column when field is empty.
func (t Table) values(field string) ([]any, string) {
	index := 0
	if field != "" {
		var trouble string
		if index, trouble = t.column(field); trouble != "" {
			return nil, trouble
		}
	} else if len(t.Columns) != 1 {
		return nil, fmt.Sprintf("there are %d columns (%s): name one with `field`",
			len(t.Columns), strings.Join(t.Columns, ", "))
	}
	values := make([]any, len(t.Rows))
	for i, row := range t.Rows {
		values[i] = row[index]
	}
	return values, ""
}

// empty tells whether nothing at all was seen.
func (t Table) empty() bool {
	for _, total := range t.Totals {
		if total.Number != 0 {
			return false
		}
	}
	return len(t.Rows) == 0
}

// named are a row's values with the names of their columns.
func (t Table) named(row []any) Map {
	pairs := make(Map, len(t.Columns))
	for i, column := range t.Columns {
		pairs[i] = Pair{Key: column, Value: row[i]}
	}
	return pairs
}

// rowTexts print each row with the names of its columns.
func (t Table) rowTexts() []string {
	texts := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		texts[i] = mapText(t.named(row))
	}
	return texts
}

// brief is the table with the middle of each long text in it left out, for rows that are shown
// whole.
func (t Table) brief() Table {
	short := t
	short.Rows = make([][]any, len(t.Rows))
	for i, row := range t.Rows {
		for _, value := range row {
			short.Rows[i] = append(short.Rows[i], brief(value))
		}
	}
	return short
}

// listing shows the rows themselves beneath a line that only counts them.
func (t Table) listing() []string {
	var lines []string
	for i, text := range t.brief().rowTexts() {
		lines = append(lines, fmt.Sprintf("row %d: %s", i+1, shortenTo(text, longestRow)))
	}
	return atMost(lines, "rows")
}

// Listing shows rows with the names of their columns, a line each; of more than most, the first.
func (t Table) Listing(most int) []string {
	texts := t.brief().rowTexts()
	var lines []string
	for i, text := range texts {
		if i == most {
			return append(lines, fmt.Sprintf("… and %d more", len(texts)-most))
		}
		lines = append(lines, shortenTo(text, longestRow))
	}
	return lines
}

// trouble says what makes the table unfit to be judged: a row of the wrong length or a value of a
// type without meaning here. Both are mistakes of the code that read it.
func (t Table) trouble() string {
	for _, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Sprintf("a row holds %d values in %d columns", len(row), len(t.Columns))
		}
		for i, value := range row {
			if v, bad := plain(value).(unreadable); bad {
				return fmt.Sprintf("column %s holds a value of Go type %s, which can't be compared: "+
					"cast it to text in the query", t.Columns[i], v.goType)
			}
		}
	}
	return ""
}
