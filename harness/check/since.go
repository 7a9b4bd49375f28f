package check

import (
	"fmt"
	"slices"
	"strings"
)

// UnchangedSince expects the rows that an earlier step saw, in the same order.
type UnchangedSince struct {
	// Field names the only column that is compared; empty when all are.
	Field string
	// Step is how the scenario calls the earlier step, and Before what it saw.
	Step   string
	Before Table
}

// ChangedSince expects other rows than an earlier step saw. The same rows in another order are no
// change.
type ChangedSince UnchangedSince

// Keyword is the comparison's word in a scenario.
func (UnchangedSince) Keyword() string { return "unchanged_since" }

// Keyword is the comparison's word in a scenario.
func (ChangedSince) Keyword() string { return "changed_since" }

func (u UnchangedSince) judge(subject string, table Table) []Line {
	name, expected := named(subject, u.Field), "unchanged since "+u.Step
	then, now, trouble := u.both(table)
	if trouble != "" {
		return []Line{undecided(name, expected, "not comparable", trouble)}
	}
	if then.empty() && now.empty() {
		return []Line{undecided(name, expected, "no rows",
			"there were no rows then and there are none now; `rows: []` expects that none come")}
	}
	changes, totals := compareTables(then, now), totalChanges(then, now)
	unchanged := changes.none() && len(totals) == 0
	actual := "unchanged"
	if !unchanged {
		actual = "changed: " + changes.summary(then, now, totals)
	}
	line := judged(name, unchanged, expected, actual)
	line.Difference = changes.describe(sinceDescription(then, now))
	if changes.orderOnly() {
		line.Why = "the same rows in another order; does the query say `order by`?"
	}
	return []Line{line}
}

func (c ChangedSince) judge(subject string, table Table) []Line {
	name, expected := named(subject, c.Field), "changed since "+c.Step
	then, now, trouble := UnchangedSince(c).both(table)
	if trouble != "" {
		return []Line{undecided(name, expected, "not comparable", trouble)}
	}
	changes := compareTables(then, now)
	unchanged := changes.none() && len(totalChanges(then, now)) == 0
	if changes.orderOnly() {
		return []Line{undecided(name, expected, "another order",
			"the same rows in another order are no change; does the query say `order by`?")}
	}
	// What changed is not printed: tokens and times differ in every run, and evidence may not.
	actual := "changed"
	if unchanged {
		actual = "unchanged"
	}
	line := judged(name, !unchanged, expected, actual)
	if unchanged {
		line.Difference = table.listing()
	}
	return []Line{line}
}

// both are the columns that are compared, then and now.
func (u UnchangedSince) both(now Table) (Table, Table, string) {
	if trouble := u.Before.trouble(); trouble != "" {
		return Table{}, Table{}, "at " + u.Step + ": " + trouble
	}
	if !slices.Equal(u.Before.Columns, now.Columns) {
		return Table{}, Table{}, fmt.Sprintf("the columns were %s and are %s",
			strings.Join(u.Before.Columns, ", "), strings.Join(now.Columns, ", "))
	}
	if u.Field == "" {
		return u.Before, now, ""
	}
	then, trouble := u.Before.only(u.Field)
	if trouble != "" {
		return Table{}, Table{}, trouble
	}
	now, trouble = now.only(u.Field)
	return then, now, trouble
}

// only is the table with one of its columns.
func (t Table) only(field string) (Table, string) {
	values, trouble := t.values(field)
	narrow := Table{Columns: []string{field}}
	for _, value := range values {
		narrow.Rows = append(narrow.Rows, []any{value})
	}
	return narrow, trouble
}

// totalChanges describes the journal's counts that changed.
func totalChanges(then, now Table) []string {
	var texts []string
	for _, is := range now.Totals {
		for _, was := range then.Totals {
			if was.Name == is.Name && was.Number != is.Number {
				texts = append(texts, fmt.Sprintf("%s was %d, is %d", is.Name, was.Number, is.Number))
			}
		}
	}
	return texts
}

func compareTables(then, now Table) changes {
	return compareLists(len(then.Rows), len(now.Rows), func(i, j int) bool {
		return slices.EqualFunc(then.Rows[i], now.Rows[j], Equal)
	})
}

// summary says in a few words what changed: the counts, else the columns when there is one row,
// else how many rows.
func (c changes) summary(then, now Table, totals []string) string {
	switch {
	case len(totals) > 0:
		return strings.Join(totals, ", ")
	case len(then.Rows) == 1 && len(now.Rows) == 1:
		return strings.Join(columnChanges(then, now, 0, 0), ", ")
	case c.orderOnly():
		return "the order of the rows"
	}
	var gone, come int
	for _, h := range c.hunks {
		gone, come = gone+len(h.missing), come+len(h.unexpected)
	}
	return fmt.Sprintf("%d of %d rows gone, %d new", gone, len(then.Rows), come)
}

func sinceDescription(then, now Table) description {
	before, after := then.brief().rowTexts(), now.brief().rowTexts()
	return description{
		since:    true,
		expected: func(i int) string { return before[i] },
		actual:   func(j int) string { return after[j] },
		both: func(i, j int) string {
			return strings.Join(columnChanges(then, now, i, j), ", ")
		},
	}
}

func columnChanges(then, now Table, i, j int) []string {
	var texts []string
	for k, column := range now.Columns {
		was, is := then.Rows[i][k], now.Rows[j][k]
		if !Equal(was, is) {
			texts = append(texts, fmt.Sprintf("%s was %s, is %s", column,
				Shorten(Text(was)), Shorten(Text(is))))
		}
	}
	return texts
}
