package matrix_test

import (
	"errors"
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
			clean.Add(ran(false, line("sent", pass), line("kept", pass)), true)
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
	seen.Add(ran(true, witness("sent", check.Pass)), true)
	if account := seen.Account(nil, true); len(account.Unexplained) != 1 {
		t.Errorf("unexplained %v, want the witness", account.Unexplained)
	}
	seen.Add(ran(false, witness("sent", check.Fail)), false)
	if account := seen.Account(nil, true); account.Failed != 1 || len(account.Unexplained) != 0 {
		t.Errorf("got %+v, want the witness seen failing", account)
	}
}
