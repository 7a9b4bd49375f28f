package check_test

import (
	"testing"

	"lostreply/harness/check"
)

func TestRow(t *testing.T) {
	task := func(rows ...[]any) check.Table { return tableOf("state needs_review", rows...) }
	unknown := check.Row{{Key: "state", Value: "UNKNOWN"}}
	both := check.Row{{Key: "state", Value: "UNKNOWN"}, {Key: "needs_review", Value: true}}
	runCases(t, []comparisonCase{
		{"holds", "task", task([]any{"UNKNOWN", true}), expecting(both), `
ok   task state (expected=UNKNOWN, actual=UNKNOWN)
ok   task needs_review (expected=true, actual=true)
`},
		{"fails", "task", task([]any{"FAILED", true}), expecting(both), `
FAIL task state (expected=UNKNOWN, actual=FAILED)
ok   task needs_review (expected=true, actual=true)
`},
		{"no row keeps the names of the lines", "task", task(), expecting(both), `
FAIL task state (expected=UNKNOWN, actual=no rows)
     exactly 1 row was expected
FAIL task needs_review (expected=true, actual=no rows)
     exactly 1 row was expected
`},
		{"two rows", "task", task([]any{"UNKNOWN", true}, []any{"SENT", nil}), expecting(unknown), `
FAIL task state (expected=UNKNOWN, actual=2 rows: [UNKNOWN, SENT])
     exactly 1 row was expected
     row 1: {state: UNKNOWN, needs_review: true}
     row 2: {state: SENT, needs_review: null}
`},
		{"a column that does not exist is no failure of the product", "task",
			task([]any{"UNKNOWN", true}),
			expecting(check.Row{{Key: "stat", Value: "UNKNOWN"}, {Key: "state", Value: "UNKNOWN"}}), `
INCONCLUSIVE task stat (expected=UNKNOWN, actual=no such column)
     unknown column "stat": did you mean "state"? valid: needs_review, state
ok   task state (expected=UNKNOWN, actual=UNKNOWN)
`},
		{"two columns of one name", "task", tableOf("id id", []any{int64(1), int64(2)}),
			expecting(check.Row{{Key: "id", Value: int64(1)}}), `
INCONCLUSIVE task id (expected=1, actual=no such column)
     two columns are named id: give them different names
`},
		{"no column named", "task", task([]any{"UNKNOWN", true}), expecting(check.Row{}), `
INCONCLUSIVE task
     ` + "`row` names nothing to compare" + `
`},
		{"a title names the only line", "task", task([]any{"UNKNOWN", true}),
			check.Expectation{Title: "task is parked", Comparison: unknown}, `
ok   task is parked (expected=UNKNOWN, actual=UNKNOWN)
`},
		{"a title begins the name of several lines", "task", task([]any{"UNKNOWN", true}),
			check.Expectation{Title: "parked", Comparison: both}, `
ok   parked state (expected=UNKNOWN, actual=UNKNOWN)
ok   parked needs_review (expected=true, actual=true)
`},
	})
}

func TestRowTypes(t *testing.T) {
	one := func(value any) check.Table { return tableOf("v", []any{value}) }
	row := func(value any) check.Expectation { return expecting(check.Row{{Key: "v", Value: value}}) }
	runCases(t, []comparisonCase{
		{"numbers of two types", "t", one(check.Number("25.00")), row(int64(25)),
			"ok   t v (expected=25, actual=25.00)\n"},
		{"a text is no number", "t", one("1"), row(int64(1)), `
FAIL t v (expected=1, actual="1")
     the column is text: quote the expected value, "1"
`},
		{"a number is no text", "t", one(int64(1)), row("1"), `
FAIL t v (expected="1", actual=1)
     the column is a number: write the expected value without quotes
`},
		{"a text is no boolean", "t", one("t"), row(true), `
FAIL t v (expected=true, actual=t)
     the column is text: quote the expected value, "t"
`},
		{"a boolean is no text", "t", one(true), row("true"), `
FAIL t v (expected="true", actual=true)
     the column is boolean: write true without quotes
`},
		{"null is no text", "t", one(nil), row("null"), `
FAIL t v (expected="null", actual=null)
     the value is null: write null without quotes
`},
		{"null is not empty", "t", one(nil), row(""), `
FAIL t v (expected="", actual=null)
     the value is null, which is not the empty text: write null
`},
		{"null is null", "t", one(nil), row(nil), "ok   t v (expected=null, actual=null)\n"},
		{"false is not null", "t", one(nil), row(false), "FAIL t v (expected=false, actual=null)\n"},
		{"json, keys in any order", "t", one(map[string]any{"b": []any{1.0}, "a": nil}),
			row(check.Map{{Key: "b", Value: []any{int64(1)}}, {Key: "a", Value: nil}}),
			"ok   t v (expected={a: null, b: [1]}, actual={a: null, b: [1]})\n"},
		{"json with a further key", "t", one(map[string]any{"a": nil, "b": "x"}),
			row(check.Map{{Key: "a", Value: nil}}),
			"FAIL t v (expected={a: null}, actual={a: null, b: x})\n"},
		{"a type without meaning", "t", one(struct{}{}), row("x"), `
INCONCLUSIVE t (expected=row, actual=unreadable)
     column v holds a value of Go type struct {}, which can't be compared: ` +
			`cast it to text in the query
`},
	})
}
