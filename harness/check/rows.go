package check

import (
	"fmt"
	"slices"
	"strings"
)

// Rows expects all rows, in order. Each is a list of the values of all columns ([]any) or names
// some columns and their values (Map or map[string]any); an empty Rows expects that there are none.
type Rows []any

// Keyword is the comparison's word in a scenario.
func (Rows) Keyword() string { return "rows" }

func (r Rows) judge(subject string, table Table) []Line {
	expected := r.texts()
	matchers, trouble := r.matchers(table)
	if trouble != "" {
		return []Line{undecided(subject, bracketed(expected), "rows of other columns", trouble)}
	}
	actual := r.actualTexts(table)
	changes := compareLists(len(r), len(table.Rows), func(i, j int) bool {
		return matchers[i].differing(table.Rows[j]) == nil
	})
	line := judged(subject, changes.none(), bracketed(expected), bracketed(actual))
	if changes.orderOnly() {
		line.Why = "the same rows in another order; does the query say `order by`?"
	}
	was, is := r.brief().texts(), r.actualTexts(table.brief())
	line.Difference = append(line.Difference, changes.describe(description{
		expected: func(i int) string { return was[i] },
		actual:   func(j int) string { return is[j] },
		both: func(i, j int) string {
			return strings.Join(matchers[i].differing(table.Rows[j]), "; ")
		},
	})...)
	return []Line{line}
}

// brief is the rows with the middle of each long text in them left out.
func (r Rows) brief() Rows {
	short := make(Rows, len(r))
	for i, row := range r {
		short[i] = brief(row)
	}
	return short
}

func (r Rows) texts() []string {
	texts := make([]string, len(r))
	for i, row := range r {
		texts[i] = rowText(row)
	}
	return texts
}

func rowText(row any) string {
	if pairs, isMap := namedRow(row); isMap {
		return mapText(pairs)
	}
	return Text(row)
}

// namedRow is an expected row that names its columns; false when it is a list.
func namedRow(row any) (Map, bool) {
	switch v := row.(type) {
	case Map:
		return v, true
	case map[string]any:
		pairs, isMap := plain(v).(Map)
		return pairs, isMap
	default:
		return nil, false
	}
}

// actualTexts print the rows that were read in the form of the expected ones: as lists, or with the
// names of those columns that some expected row names, or else of all.
func (r Rows) actualTexts(table Table) []string {
	var columns []string
	for _, row := range r {
		pairs, isMap := namedRow(row)
		if !isMap {
			return listTexts(table.Rows)
		}
		for _, pair := range pairs {
			if !slices.Contains(columns, pair.Key) {
				columns = append(columns, pair.Key)
			}
		}
	}
	if columns == nil {
		return table.rowTexts()
	}
	texts := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		var pairs Map
		for _, name := range columns {
			pairs = append(pairs, Pair{Key: name, Value: row[slices.Index(table.Columns, name)]})
		}
		texts[i] = mapText(pairs)
	}
	return texts
}

func listTexts(rows [][]any) []string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = listText(row)
	}
	return texts
}

// rowMatcher is an expected row with the place of each of its values in a row that was read.
type rowMatcher struct {
	pairs   Map
	columns []int
}

func (r Rows) matchers(table Table) ([]rowMatcher, string) {
	matchers := make([]rowMatcher, len(r))
	for i, row := range r {
		var trouble string
		if pairs, isMap := namedRow(row); isMap {
			matchers[i], trouble = matchNames(pairs, table)
		} else if values, isList := row.([]any); isList {
			matchers[i], trouble = matchPlaces(values, table)
		} else {
			trouble = fmt.Sprintf("%s is not a row: write a list of its values, or {column: value}",
				Text(row))
		}
		if trouble != "" {
			return nil, fmt.Sprintf("row %d: %s", i+1, trouble)
		}
	}
	return matchers, ""
}

func matchNames(expected Map, table Table) (rowMatcher, string) {
	if len(expected) == 0 {
		return rowMatcher{}, "{} names no column, and so any row would do"
	}
	matcher := rowMatcher{pairs: expected}
	for _, pair := range expected {
		index, trouble := table.column(pair.Key)
		if trouble != "" {
			return rowMatcher{}, trouble
		}
		matcher.columns = append(matcher.columns, index)
	}
	return matcher, ""
}

func matchPlaces(expected []any, table Table) (rowMatcher, string) {
	if len(expected) != len(table.Columns) {
		return rowMatcher{}, fmt.Sprintf("it lists %d values, and there are %d columns (%s)",
			len(expected), len(table.Columns), strings.Join(table.Columns, ", "))
	}
	var matcher rowMatcher
	for index, value := range expected {
		matcher.pairs = append(matcher.pairs, Pair{Key: table.Columns[index], Value: value})
		matcher.columns = append(matcher.columns, index)
	}
	return matcher, ""
}

// differing describes the columns in which a row is not as expected; nil when it is.
func (m rowMatcher) differing(row []any) []string {
	var differing []string
	for i, pair := range m.pairs {
		actual := row[m.columns[i]]
		if Equal(pair.Value, actual) {
			continue
		}
		text := fmt.Sprintf("%s expected %s, actual %s", pair.Key,
			Shorten(Text(pair.Value)), Shorten(Text(actual)))
		if why := mistaken(pair.Value, actual); why != "" {
			text += " (" + why + ")"
		}
		differing = append(differing, text)
	}
	return differing
}
