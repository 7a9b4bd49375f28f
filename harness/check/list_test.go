package check_test

import (
	"testing"

	"lostreply/harness/check"
)

func TestColumn(t *testing.T) {
	two := tableOf("id outcome", []any{int64(1), "TIMEOUT"}, []any{int64(2), "ACCEPTED"})
	runCases(t, []comparisonCase{
		{"holds", "attempts", outcomes("TIMEOUT", "ACCEPTED_REPLAY"),
			expecting(column("TIMEOUT", "ACCEPTED_REPLAY")), `
ok   attempts (expected=[TIMEOUT, ACCEPTED_REPLAY], actual=[TIMEOUT, ACCEPTED_REPLAY])
`},
		{"one is missing", "attempts", outcomes("TIMEOUT"), expecting(column("TIMEOUT", "ACCEPTED")), `
FAIL attempts (expected=[TIMEOUT, ACCEPTED], actual=[TIMEOUT])
     - expected, + actual:
     - at 2: ACCEPTED
`},
		{"one too many", "attempts", outcomes("TIMEOUT", "TIMEOUT", "SENT"),
			expecting(column("TIMEOUT", "SENT")), `
FAIL attempts (expected=[TIMEOUT, SENT], actual=[TIMEOUT, TIMEOUT, SENT])
     - expected, + actual:
     + at 2: TIMEOUT
`},
		{"one in place of another", "attempts", outcomes("TIMEOUT", "HTTP_5XX"),
			expecting(column("TIMEOUT", "ACCEPTED")), `
FAIL attempts (expected=[TIMEOUT, ACCEPTED], actual=[TIMEOUT, HTTP_5XX])
     - expected, + actual:
     - at 2: ACCEPTED
     + at 2: HTTP_5XX
`},
		{"order counts", "attempts", outcomes("B", "A"), expecting(column("A", "B")), `
FAIL attempts (expected=[A, B], actual=[B, A])
     the same values in another order; ` + "`set`" + ` compares without order
     out of order: A expected at 1, found at 2
`},
		{"null is missing an outcome", "attempts", outcomes("TIMEOUT", nil),
			expecting(column("TIMEOUT", "")), `
FAIL attempts (expected=[TIMEOUT, ""], actual=[TIMEOUT, null])
     the value is null, which is not the empty text: write null
     - expected, + actual:
     - at 2: ""
     + at 2: null
`},
		{"no rows where some are expected", "attempts", outcomes(), expecting(column("A")), `
FAIL attempts (expected=[A], actual=[])
`},
		{"none expected and none there", "attempts", outcomes(), expecting(column()), `
ok   attempts (expected=[], actual=[])
`},
		{"none expected and one there", "attempts", outcomes("A"), expecting(column()), `
FAIL attempts (expected=[], actual=[A])
`},
		{"one of several columns", "attempts", two,
			expecting(check.Column{Field: "outcome", Values: []any{"TIMEOUT", "ACCEPTED"}}), `
ok   attempts outcome (expected=[TIMEOUT, ACCEPTED], actual=[TIMEOUT, ACCEPTED])
`},
		{"which of several columns", "attempts", two, expecting(column("TIMEOUT")), `
INCONCLUSIVE attempts (expected=[TIMEOUT], actual=no such column)
     there are 2 columns (id, outcome): name one with ` + "`field`" + `
`},
		{"a misspelt column", "attempts", two,
			expecting(check.Column{Field: "outcom", Values: []any{"TIMEOUT"}}), `
INCONCLUSIVE attempts outcom (expected=[TIMEOUT], actual=no such column)
     unknown column "outcom": did you mean "outcome"? valid: id, outcome
`},
	})
}

func TestSet(t *testing.T) {
	runCases(t, []comparisonCase{
		{"holds in any order, printed in the expected one", "states", outcomes("C", "A", "B"),
			expecting(set("B", "C", "A")), "ok   states (expected=[B, C, A], actual=[B, C, A])\n"},
		{"each as often as listed", "states", outcomes("A", "B", "B"), expecting(set("A", "A", "B")), `
FAIL states (expected=[A, A, B], actual=[A, B, B])
     missing: A
     unexpected: B
`},
		{"a text is no number", "states", outcomes("1"), expecting(set(int64(1))), `
FAIL states (expected=[1], actual=["1"])
     the column is text: quote the expected value, "1"
     missing: 1
     unexpected: "1"
`},
		{"which column", "states", tableOf("a b"), expecting(set("A")), `
INCONCLUSIVE states (expected=[A], actual=no such column)
     there are 2 columns (a, b): name one with ` + "`field`" + `
`},
	})
}

func TestRows(t *testing.T) {
	table := tableOf("id state", []any{int64(1), "SENT"}, []any{int64(2), "FAILED"})
	lists := func(rows ...any) check.Expectation { return expecting(check.Rows(rows)) }
	state := func(value any) check.Map { return check.Map{{Key: "state", Value: value}} }
	runCases(t, []comparisonCase{
		{"lists hold", "tasks", table, lists([]any{int64(1), "SENT"}, []any{int64(2), "FAILED"}), `
ok   tasks (expected=[[1, SENT], [2, FAILED]], actual=[[1, SENT], [2, FAILED]])
`},
		{"names hold, whatever the other columns say", "tasks", table,
			lists(state("SENT"), map[string]any{"state": "FAILED"}), `
ok   tasks (expected=[{state: SENT}, {state: FAILED}], actual=[{state: SENT}, {state: FAILED}])
`},
		{"a row differs", "tasks", table, lists([]any{int64(1), "SENT"}, []any{"2", "UNKNOWN"}), `
FAIL tasks (expected=[[1, SENT], ["2", UNKNOWN]], actual=[[1, SENT], [2, FAILED]])
     - expected, + actual:
     - at 2: ["2", UNKNOWN]
     + at 2: [2, FAILED]
       id expected "2", actual 2 (the column is a number: write the expected value ` +
			`without quotes); state expected UNKNOWN, actual FAILED
`},
		{"a row is missing", "tasks", table,
			lists(state("PENDING"), state("SENT"), state("FAILED")), `
FAIL tasks (expected=[{state: PENDING}, {state: SENT}, {state: FAILED}], ` +
				`actual=[{state: SENT}, {state: FAILED}])
     - expected, + actual:
     - at 1: {state: PENDING}
`},
		{"order counts", "tasks", table, lists(state("FAILED"), state("SENT")), `
FAIL tasks (expected=[{state: FAILED}, {state: SENT}], actual=[{state: SENT}, {state: FAILED}])
     the same rows in another order; does the query say ` + "`order by`" + `?
     out of order: {state: FAILED} expected at 1, found at 2
`},
		{"none", "due", tableOf("id"), lists(), "ok   due (expected=[], actual=[])\n"},
		{"none expected, one there", "due", tableOf("id at", []any{int64(7), "12:00"}), lists(), `
FAIL due (expected=[], actual=[{id: 7, at: 12:00}])
     - expected, + actual:
     + at 1: {id: 7, at: 12:00}
`},
		{"a list of another length", "tasks", table, lists([]any{int64(1)}), `
INCONCLUSIVE tasks (expected=[[1]], actual=rows of other columns)
     row 1: it lists 1 values, and there are 2 columns (id, state)
`},
		{"a misspelt column", "tasks", table, lists(check.Map{{Key: "sate", Value: "SENT"}}), `
INCONCLUSIVE tasks (expected=[{sate: SENT}], actual=rows of other columns)
     row 1: unknown column "sate": did you mean "state"? valid: id, state
`},
		{"a row without columns", "tasks", table, lists(check.Map{}), `
INCONCLUSIVE tasks (expected=[{}], actual=rows of other columns)
     row 1: {} names no column, and so any row would do
`},
		{"no row at all", "tasks", table, lists("SENT"), `
INCONCLUSIVE tasks (expected=[SENT], actual=rows of other columns)
     row 1: SENT is not a row: write a list of its values, or {column: value}
`},
	})
}
