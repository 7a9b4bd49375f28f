package matrix_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"lostreply/harness/check"
	"lostreply/harness/matrix"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

var mail = &scenario.System{Name: strict.Text{Value: "mail"}}

// ran is a run of scenario A that came to these entries.
func ran(own bool, entries ...result.Entry) matrix.Run {
	s := &scenario.Scenario{ID: strict.Text{Value: "A"}, Under: mail}
	return matrix.Run{Scenario: s, Own: own, Result: result.Result{Entries: entries}}
}

func line(name string, verdict check.Verdict) result.Entry {
	return result.Entry{Kind: result.Check, Line: check.Line{Name: name, Verdict: verdict}}
}

func witness(name string, verdict check.Verdict) result.Entry {
	entry := line(name, verdict)
	entry.Line.Exposes = "the damage"
	return entry
}

var trouble = result.Entry{Kind: result.Trouble, Text: "hold not reached"}

func TestJudge(t *testing.T) {
	pass, fail, undecided := check.Pass, check.Fail, check.Inconclusive
	for _, test := range []struct {
		name    string
		run     matrix.Run
		unbuilt error
		verdict matrix.Verdict
		says    string
	}{
		{"the check fails", ran(false, line("sent", fail)), nil, matrix.Caught, ""},
		{"it fails before trouble", ran(false, line("sent", fail), trouble), nil, matrix.Caught, ""},
		{"it holds", ran(false, line("sent", pass)), nil, matrix.Survived, "sent: it holds"},
		{"another fails", ran(false, line("sent", pass), line("kept", fail)), nil,
			matrix.Survived, "sent: it holds"},
		{"nothing could be said", ran(false, line("sent", undecided)), nil,
			matrix.Trouble, "inconclusive"},
		{"it was not reached", ran(false, trouble), nil, matrix.Trouble, "hold not reached"},
		{"it was not reached, and another fails", ran(false, line("kept", fail), trouble), nil,
			matrix.Trouble, "hold not reached"},
		{"it does not build", matrix.Run{}, errors.New("no"), matrix.Trouble, "no"},
		{"nothing ran", matrix.Run{Scenario: &scenario.Scenario{Under: mail}}, nil,
			matrix.Trouble, "nothing of A was run"},
		{"a witness sees the damage", ran(true, witness("sent", pass)), nil, matrix.Caught, ""},
		{"a witness sees none", ran(true, witness("sent", fail)), nil, matrix.Survived, "holds"},
		{"a witness without damage, of another", ran(false, witness("sent", fail)), nil,
			matrix.Caught, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var clean matrix.Coverage
			clean.Add(ran(false, line("sent", pass), line("kept", pass)), matrix.Clean, true)
			v := matrix.Variant{System: mail, Name: "lost", Fails: []scenario.Failure{{
				Scenario: strict.Text{Value: "A"}, Check: strict.Text{Value: "sent"}}}}
			row := matrix.Judge(v, []matrix.Run{test.run}, &clean, test.unbuilt)
			if row.Verdict != test.verdict ||
				!strings.Contains(strings.Join(row.Reasons, "\n"), test.says) {
				t.Errorf("got %s %q, want %s %q", row.Verdict, row.Reasons, test.verdict, test.says)
			}
		})
	}
}

// TestAWitnessMustBeSeenFailing makes sure that a negative control's witness which can't fail is
// not taken for one that can: it holds against its own variant whatever that does.
func TestAWitnessMustBeSeenFailing(t *testing.T) {
	var seen matrix.Coverage
	seen.Add(ran(true, witness("sent", check.Pass)), "mail/lost", true)
	if account := seen.Account(nil, true); len(account.Unexplained) != 1 {
		t.Errorf("unexplained %v, want the witness", account.Unexplained)
	}
	seen.Add(ran(false, witness("sent", check.Fail)), matrix.Clean, false)
	if account := seen.Account(nil, true); len(account.Failed) != 1 || len(account.Unexplained) != 0 {
		t.Errorf("got %+v, want the witness seen failing", account)
	}
}

// TestExcuses makes sure that an excuse speaks for what was not seen failing, and for nothing else,
// and that each part of it must be needed.
func TestExcuses(t *testing.T) {
	pass, fail := check.Pass, check.Fail
	var seen matrix.Coverage
	seen.Add(ran(false, line("sent", pass), line("kept", pass), line("mark", pass)), "", true)
	seen.Add(ran(false, line("sent", fail), line("other", fail)), "mail/lost", false)
	for _, test := range []struct {
		name            string
		checks, idle    []string
		excused, remain int
	}{
		{"none", nil, nil, 0, 2},
		{"one of two", []string{"kept"}, nil, 1, 1},
		{"a pattern", []string{"*"}, nil, 2, 0},
		{"one that was seen failing", []string{"sent"}, []string{"A", "sent"}, 0, 2},
		{"one that is not there", []string{"k*", "gone", "other"}, []string{"gone", "other"}, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			excuse := scenario.Excuse{Scenario: scenario.Names{{Value: "A"}}}
			for _, name := range test.checks {
				excuse.Check = append(excuse.Check, strict.Text{Value: name})
			}
			lists := map[string][]scenario.Excuse{}
			if len(test.checks) > 0 {
				lists["mail"] = []scenario.Excuse{excuse}
			}
			account := seen.Account(lists, true)
			var idle []string
			for _, entry := range account.Stale {
				idle = append(idle, entry.Idle...)
			}
			if account.Checks() != 3 || account.ExcusedChecks() != test.excused ||
				len(account.Unexplained) != test.remain || !slices.Equal(idle, test.idle) {
				t.Errorf("of %d excused %d, unexplained %v, idle %q; want %d, %d, %q",
					account.Checks(), account.ExcusedChecks(), account.Unexplained, idle,
					test.excused, test.remain, test.idle)
			}
		})
	}
}
