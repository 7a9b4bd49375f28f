package check_test

import (
	"testing"

	"lostreply/harness/check"
)

// The vacuous check: nothing of nothing proves nothing.
func TestOfRefusesVacuousCheck(t *testing.T) {
	of := func(table check.Table) check.Expectation {
		return check.Expectation{
			Comparison: check.Count(0), Of: &check.Existing{Name: "orders", Table: table},
		}
	}
	orders := tableOf("id", []any{int64(1)})
	runCases(t, []comparisonCase{
		{"rows exist", "lost", tableOf("id"), of(orders), "ok   lost (expected=0, actual=0)\n"},
		{"a journal that saw a query", "lost", tableOf("id"),
			of(check.Table{Totals: []check.Total{{Name: "queries", Number: 1}}}),
			"ok   lost (expected=0, actual=0)\n"},
		{"no rows exist", "lost", tableOf("id"), of(tableOf("id")), `
INCONCLUSIVE lost (expected=0, actual=0)
     orders is empty, so nothing could have been seen
`},
		{"no rows exist, and the check would fail", "lost", tableOf("id", []any{int64(1)}),
			of(tableOf("id")), `
INCONCLUSIVE lost (expected=0, actual=1)
     orders is empty, so nothing could have been seen
`},
		{"nothing to compare with", "lost", tableOf("id"), check.Expectation{}, `
INCONCLUSIVE lost
     the check compares with nothing
`},
	})
}

// The expected failure for any reason: a negative control needs its own witness, seen.
func TestExposes(t *testing.T) {
	exposing := func(comparison check.Comparison, of *check.Existing) check.Expectation {
		return check.Expectation{Comparison: comparison, Exposes: "the resend went out twice", Of: of}
	}
	twice := check.Totals{{Name: "sends", Number: 2}}
	overwritten := check.Row{{Key: "state", Value: "UNKNOWN"}, {Key: "token", Value: nil}}
	orders := &check.Existing{Name: "orders", Table: tableOf("id", []any{int64(1)})}
	runCases(t, []comparisonCase{
		{"exposed", "sms", push(2, 2), exposing(twice, nil),
			"ok   negative control exposes: the resend went out twice (expected=2, actual=2)\n"},
		{"not exposed", "sms", push(1, 1), exposing(twice, nil), `
FAIL negative control did not expose: the resend went out twice (expected=2, actual=1)
     row 1: {key: ntf-task-1}
`},
		{"several columns are one witness", "task", tableOf("state token", []any{"UNKNOWN", nil}),
			exposing(overwritten, nil), `
ok   negative control exposes: the resend went out twice ` +
				`(expected={state: UNKNOWN, token: null}, actual={state: UNKNOWN, token: null})
`},
		{"half a witness is none", "task", tableOf("state token", []any{"UNKNOWN", "a1"}),
			exposing(overwritten, nil), `
FAIL negative control did not expose: the resend went out twice ` +
				`(expected={state: UNKNOWN, token: null}, actual={state: UNKNOWN, token: a1})
`},
		{"the worker could not start: nothing is no witness", "sms", push(0, 0),
			exposing(check.Totals{{Name: "sends", Number: 0}}, nil), `
INCONCLUSIVE negative control exposes: the resend went out twice (expected=0, actual=0)
     nothing was seen, and nothing is no witness: name with ` + "`of`" + ` the rows that must exist
`},
		{"an absence with its ground", "lost", tableOf("id"), exposing(check.Count(0), orders),
			"ok   negative control exposes: the resend went out twice (expected=0, actual=0)\n"},
		{"a witness over no rows fails", "attempts", outcomes(), exposing(check.Count(2), nil),
			"FAIL negative control did not expose: the resend went out twice (expected=2, actual=0)\n"},
		{"a misspelt witness", "sms", push(2, 2),
			exposing(check.Totals{{Name: "send", Number: 2}}, nil), `
INCONCLUSIVE negative control exposes: the resend went out twice (expected=2, actual=no such count)
     unknown count "send": did you mean "sends"? valid: requests, sends
`},
	})
}
