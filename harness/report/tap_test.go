package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/check"
	"lostreply/harness/report"
	"lostreply/harness/result"
)

// TestTAPKeepsItsGrammar reads what is written, strictly, and finds what went in: verdicts, names
// with their special characters, and what went wrong.
func TestTAPKeepsItsGrammar(t *testing.T) {
	text := written(t, "tap", sampleEnd, sample()...)
	document, err := parseTAP(text)
	if err != nil {
		t.Fatalf("it is no TAP 14: %v\n%s", err, text)
	}
	var got []string
	for _, point := range document.points {
		got = append(got, outcome(point))
		if point.subtest == nil {
			continue
		}
		for _, inner := range point.subtest.points {
			got = append(got, "  "+outcome(inner))
		}
	}
	want := []string{
		"pass mail S1: sent once", "  ok push sends",
		`fail mail S2[mode=a,b]: 100% of #2 with <tags> & "quotes", and C:\paths`,
		"  fail states # 1", "  ok push sends",
		"inconclusive other S3: a hold that nobody reaches",
		"  inconclusive w1.1 push#2 response was not reached",
		"skip other S4: nothing to run it with: no node on this machine # not even one",
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("-want +got:\n%s", difference)
	}
}

// outcome is what a reader makes of a test point.
func outcome(p tapPoint) string {
	word, _ := p.diagnostics["verdict"].(string)
	if word == "" {
		word, _ = p.diagnostics["severity"].(string)
	}
	switch {
	case p.directive != "":
		return p.directive + " " + p.description + ": " + strings.ReplaceAll(p.reason, `\#`, "#")
	case word == "" && p.ok:
		word = "ok"
	case word == "" || p.ok != (word == "pass"):
		word = "not what it says: " + word
	}
	return word + " " + p.description
}

// TestTAPOfTrouble is complete without a plan, because it bails out, also after a first scenario.
func TestTAPOfTrouble(t *testing.T) {
	end := report.End{Trouble: "no PostgreSQL:\nnothing worked"}
	for _, results := range [][]result.Result{nil, sample()[:1]} {
		text := written(t, "tap", end, results...)
		document, err := parseTAP(text)
		if err != nil {
			t.Fatalf("it is no TAP 14: %v\n%s", err, text)
		}
		if document.bailed != "no PostgreSQL: nothing worked" || len(document.points) != len(results) {
			t.Errorf("a reader is told %+v", document)
		}
	}
}

// TestTAPOfAnyText writes texts that look like TAP themselves: each stays where it belongs.
func TestTAPOfAnyText(t *testing.T) {
	for _, text := range []string{
		"ok 1 - mine", "1..7", "# Subtest: mine", "Bail out! mine", "  ...", "...\n---\nok 2 - two",
		"a # SKIP b", "\\", "\\#", "#", "two\nlines\n", "tab\tand\rreturn", "\x00 \x1b[31m", "é ✓",
		" ", "trailing ",
	} {
		r := passed()
		r.Title, r.Variant = text, text
		r.Entries = append(r.Entries, result.Entry{
			Kind: result.Check, At: "a.yaml:1", Context: []string{text, "a line after it"},
			Line: check.Line{Verdict: check.Fail, Name: text, Expected: text, Actual: text},
		})
		r.Judge()
		whole := written(t, "tap", report.End{}, r)
		document, err := parseTAP(whole)
		if err != nil {
			t.Errorf("with %q it is no TAP 14: %v\n%s", text, err, whole)
			continue
		}
		inner := document.points[0].subtest.points[1]
		if got, _ := inner.diagnostics["expected"].(string); got != text {
			t.Errorf("a reader is told that %q was expected, not %q", got, text)
		}
	}
}

// TestTAPThatIsNone makes sure that the grammar refuses what a reader would misunderstand.
func TestTAPThatIsNone(t *testing.T) {
	text := written(t, "tap", sampleEnd, sample()...)
	for name, change := range map[string][2]string{
		"another version":              {"TAP version 14", "TAP version 13"},
		"a plan of fewer":              {"\n1..4\n", "\n1..3\n"},
		"no plan":                      {"\n1..4\n", "\n"},
		"two plans":                    {"\n1..4\n", "\n1..4\n1..4\n"},
		"a plan in between":            {"\nok 4", "\n1..4\nok 4"},
		"a subtest without its plan":   {"    1..2\n", ""},
		"a number left out":            {"ok 3 -", "ok 5 -"},
		"a point of no subtest":        {"\nok 1 - mail S1", "\nok 1 - mail S0"},
		"a subtest without a point":    {"\nok 1 - mail S1: sent once\n", "\n"},
		"a pass over a failure":        {"\nnot ok 2", "\nok 2"},
		"a failure over a pass":        {"\nok 1 - mail", "\nnot ok 1 - mail"},
		"diagnostics without a begin":  {"  ---\n  verdict: pass", "  verdict: pass"},
		"diagnostics without an end":   {"  file: scenarios/mail/S1.yaml\n  ...\n", "  file: a\n"},
		"diagnostics that are no YAML": {"verdict: pass", "verdict: [pass"},
		"a # that begins nothing":      {`100% of \#2`, `100% of #2`},
		"a \\ that escapes nothing":    {`C:\\paths`, `C:\paths`},
		"a line of something else":     {"TAP version 14\n", "TAP version 14\nall is well\n"},
		"a cut":                        {"# SUMMARY passed=2 failed=1 inconclusive=1 skipped=1\n", "#"},
	} {
		wrong := strings.Replace(text, change[0], change[1], 1)
		if wrong == text {
			t.Fatalf("%s: the report has no %q", name, change[0])
		}
		if _, err := parseTAP(wrong); err == nil {
			t.Errorf("%s is taken:\n%s", name, wrong)
		}
	}
}
