package check_test

import (
	"testing"

	"lostreply/harness/check"
)

func TestUnchangedSince(t *testing.T) {
	sent := tableOf("state token", []any{"SENT", "a1"})
	two := tableOf("id", []any{int64(1)}, []any{int64(2)})
	since := func(before check.Table, field string) check.Expectation {
		return expecting(check.UnchangedSince{Step: "finished", Before: before, Field: field})
	}
	runCases(t, []comparisonCase{
		{"holds", "task", sent, since(sent, ""),
			"ok   task (expected=unchanged since finished, actual=unchanged)\n"},
		{"a column changed", "task", tableOf("state token", []any{"UNKNOWN", "a1"}), since(sent, ""), `
FAIL task (expected=unchanged since finished, actual=changed: state was SENT, is UNKNOWN)
     - then, + now:
     - at 1: {state: SENT, token: a1}
     + at 1: {state: UNKNOWN, token: a1}
       state was SENT, is UNKNOWN
`},
		{"another column changed", "task", tableOf("state token", []any{"UNKNOWN", "a1"}),
			since(sent, "token"),
			"ok   task token (expected=unchanged since finished, actual=unchanged)\n"},
		{"a row came", "tasks", two, since(tableOf("id", []any{int64(1)}), ""), `
FAIL tasks (expected=unchanged since finished, actual=changed: 0 of 1 rows gone, 1 new)
     - then, + now:
     + at 2: {id: 2}
`},
		{"only the order changed", "tasks", tableOf("id", []any{int64(2)}, []any{int64(1)}),
			since(two, ""), `
FAIL tasks (expected=unchanged since finished, actual=changed: the order of the rows)
     the same rows in another order; does the query say ` + "`order by`" + `?
     out of order: {id: 1} expected at 1, found at 2
`},
		{"a journal's count changed", "push", push(1, 2), since(push(1, 1), ""), `
FAIL push (expected=unchanged since finished, actual=changed: sends was 1, is 2)
`},
		{"nothing then and nothing now", "tasks", tableOf("id"), since(tableOf("id"), ""), `
INCONCLUSIVE tasks (expected=unchanged since finished, actual=no rows)
     there were no rows then and there are none now; ` + "`rows: []`" + ` expects that none come
`},
		{"other columns", "tasks", two, since(sent, ""), `
INCONCLUSIVE tasks (expected=unchanged since finished, actual=not comparable)
     the columns were state, token and are id
`},
		{"a misspelt column", "task", sent, since(sent, "stat"), `
INCONCLUSIVE task stat (expected=unchanged since finished, actual=not comparable)
     unknown column "stat": did you mean "state"? valid: state, token
`},
	})
}

func TestChangedSince(t *testing.T) {
	before := tableOf("state token", []any{"SENDING", "a1"})
	since := func(before check.Table, field string) check.Expectation {
		return expecting(check.ChangedSince{Step: "claimed", Before: before, Field: field})
	}
	runCases(t, []comparisonCase{
		{"holds, and shows no token", "task", tableOf("state token", []any{"SENDING", "b7"}),
			since(before, "token"),
			"ok   task token (expected=changed since claimed, actual=changed)\n"},
		{"fails", "task", before, since(before, ""), `
FAIL task (expected=changed since claimed, actual=unchanged)
     row 1: {state: SENDING, token: a1}
`},
		{"another column changed", "task", tableOf("state token", []any{"SENT", "a1"}),
			since(before, "token"), `
FAIL task token (expected=changed since claimed, actual=unchanged)
     row 1: {state: SENT, token: a1}
`},
		{"a journal's count changed", "push", push(1, 2), since(push(1, 1), ""),
			"ok   push (expected=changed since claimed, actual=changed)\n"},
		{"another order is no change", "tasks", tableOf("id", []any{int64(2)}, []any{int64(1)}),
			since(tableOf("id", []any{int64(1)}, []any{int64(2)}), ""), `
INCONCLUSIVE tasks (expected=changed since claimed, actual=another order)
     the same rows in another order are no change; does the query say ` + "`order by`" + `?
`},
		{"nothing then and nothing now", "tasks", tableOf("id"), since(tableOf("id"), ""),
			"FAIL tasks (expected=changed since claimed, actual=unchanged)\n"},
		{"other columns", "tasks", tableOf("id"), since(before, ""), `
INCONCLUSIVE tasks (expected=changed since claimed, actual=not comparable)
     the columns were state, token and are id
`},
	})
}
