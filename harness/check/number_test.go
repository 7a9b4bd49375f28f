package check_test

import (
	"regexp"
	"testing"

	"lostreply/harness/check"
)

func push(requests, sends int64) check.Table {
	table := tableOf("key")
	for range requests {
		table.Rows = append(table.Rows, []any{"ntf-task-1"})
	}
	table.Totals = []check.Total{{Name: "requests", Number: requests}, {Name: "sends", Number: sends}}
	return table
}

func TestCount(t *testing.T) {
	runCases(t, []comparisonCase{
		{"holds", "attempts", outcomes("A", "B"), expecting(check.Count(2)),
			"ok   attempts (expected=2, actual=2)\n"},
		{"fails and shows the rows", "attempts", outcomes("A", "B"), expecting(check.Count(1)), `
FAIL attempts (expected=1, actual=2)
     row 1: {outcome: A}
     row 2: {outcome: B}
`},
		{"a journal's counts", "push", push(2, 1),
			expecting(check.Totals{{Name: "requests", Number: 2}, {Name: "sends", Number: 1}}), `
ok   push requests (expected=2, actual=2)
ok   push sends (expected=1, actual=1)
`},
		{"one of a journal's counts fails", "push", push(1, 2),
			expecting(check.Totals{{Name: "sends", Number: 1}}), `
FAIL push sends (expected=1, actual=2)
     row 1: {key: ntf-task-1}
`},
		{"a misspelt count", "push", push(1, 1),
			expecting(check.Totals{{Name: "send", Number: 1}}), `
INCONCLUSIVE push send (expected=1, actual=no such count)
     unknown count "send": did you mean "sends"? valid: requests, sends
`},
		{"a fact has no counts by name", "attempts", outcomes("A"),
			expecting(check.Totals{{Name: "rows", Number: 1}}), `
INCONCLUSIVE attempts rows (expected=1, actual=no such count)
     only a journal has counts by name, such as rows: give ` +
				"`count`" + ` one number, the number of rows
`},
	})
}

func TestRange(t *testing.T) {
	between := func(low, high any) check.Expectation {
		return expecting(check.Range{Min: low, Max: high})
	}
	runCases(t, []comparisonCase{
		{"holds, bounds included", "n", outcomes(int64(1), check.Number("3.0")),
			between(int64(1), 3.0), "ok   n (expected=1..3, actual=[1, 3.0])\n"},
		{"only a lower bound", "n", outcomes(int64(1)), between(0.5, nil),
			"ok   n (expected=>= 0.5, actual=1)\n"},
		{"only an upper bound", "n", outcomes(int64(2)), between(nil, int64(1)),
			"FAIL n (expected=<= 1, actual=2)\n"},
		{"one of several fails", "n", outcomes(int64(1), int64(4)), between(int64(1), int64(3)), `
FAIL n (expected=1..3, actual=[1, 4])
     at 2: 4 is not 1..3
`},
		{"null is in no range", "n", outcomes(nil), between(int64(1), nil),
			"FAIL n (expected=>= 1, actual=null)\n"},
		{"nothing to judge", "n", outcomes(), between(int64(1), nil), `
INCONCLUSIVE n (expected=>= 1, actual=no rows)
     there was no value to judge
`},
		{"text has no range", "n", outcomes("12"), between(int64(1), nil), `
INCONCLUSIVE n (expected=>= 1, actual="12")
     a range is of numbers, and the column is text
`},
		{"bounds the wrong way round", "n", outcomes(int64(2)), between(int64(3), int64(1)), `
INCONCLUSIVE n (expected=3..1, actual=2)
     ` + "`min` is above `max`" + `
`},
		{"a misspelt column", "n", outcomes(int64(2)),
			expecting(check.Range{Field: "x", Min: int64(1)}), `
INCONCLUSIVE n x (expected=>= 1, actual=no such column)
     unknown column "x": valid: outcome
`},
	})
}

func TestMatches(t *testing.T) {
	pattern := func(source string) check.Expectation {
		return expecting(check.Matches{Pattern: regexp.MustCompile(source)})
	}
	runCases(t, []comparisonCase{
		{"holds", "ids", outcomes("push-msg-0026", "push-msg-0027"), pattern(`^push-msg-\d{4}$`),
			`ok   ids (expected=/^push-msg-\d{4}$/, actual=[push-msg-0026, push-msg-0027])` + "\n"},
		{"one fails", "ids", outcomes("push-msg-0026", "sms-1"), pattern(`^push`), `
FAIL ids (expected=/^push/, actual=[push-msg-0026, sms-1])
     at 2: sms-1 does not match
`},
		{"null matches nothing", "ids", outcomes(nil), pattern(`.*`),
			"FAIL ids (expected=/.*/, actual=null)\n"},
		{"a number as it is printed", "ids", outcomes(int64(17)), pattern(`^1`),
			"ok   ids (expected=/^1/, actual=17)\n"},
		{"nothing to judge", "ids", outcomes(), pattern(`^1`), `
INCONCLUSIVE ids (expected=/^1/, actual=no rows)
     there was no value to judge
`},
		{"no pattern", "ids", outcomes("A"), expecting(check.Matches{}), `
INCONCLUSIVE ids
     ` + "`matches`" + ` needs a regular expression
`},
	})
}
