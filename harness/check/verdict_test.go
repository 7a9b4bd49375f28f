package check_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/check"
)

func TestWorst(t *testing.T) {
	pass, fail, inconclusive := check.Pass, check.Fail, check.Inconclusive
	for _, c := range []struct {
		verdicts []check.Verdict
		want     check.Verdict
	}{
		{[]check.Verdict{pass, pass}, pass},
		{[]check.Verdict{pass, inconclusive, pass}, inconclusive},
		{[]check.Verdict{inconclusive, fail, pass}, fail},
		{nil, inconclusive},
		{make([]check.Verdict, 1), inconclusive},
	} {
		if got := check.Worst(c.verdicts...); got != c.want {
			t.Errorf("Worst(%v) = %s, want %s", c.verdicts, got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	var summary check.Summary
	if got := summary.Verdict(); got != check.Inconclusive {
		t.Errorf("nothing judged is %s, want inconclusive", got)
	}
	summary.Add(check.Line{Verdict: check.Pass}, check.Line{Verdict: check.Pass})
	if got, want := summary.String(), "SUMMARY passed=2 failed=0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	summary = summary.Plus(check.Summary{Inconclusive: 1, Skipped: 3})
	want := "SUMMARY passed=2 failed=0 inconclusive=1 skipped=3"
	if got := summary.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := summary.Verdict(); got != check.Inconclusive {
		t.Errorf("verdict %s, want inconclusive", got)
	}
	summary.AddVerdict(check.Fail)
	want = "SUMMARY passed=2 failed=1 inconclusive=1 skipped=3"
	if got := summary.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := summary.Verdict(); got != check.Fail {
		t.Errorf("verdict %s, want fail", got)
	}
	if got := (check.Summary{Skipped: 1}).Verdict(); got != check.Pass {
		t.Errorf("skipped alone is %s, want pass", got)
	}
	cut := check.Summary{Passed: 3}.Plus(check.Summary{NotRun: 2})
	if got, want := cut.String(), "SUMMARY passed=3 failed=0 not_run=2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := cut.Verdict(); got != check.Inconclusive {
		t.Errorf("a run that was cut short is %s, want inconclusive", got)
	}
}

func TestLineSurvivesSaving(t *testing.T) {
	line := check.Compare("attempts", outcomes("A", "B"), expecting(column("A", "C")))[0]
	saved, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	var read check.Line
	if err := json.Unmarshal(saved, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(line, read); diff != "" {
		t.Errorf("a saved line reads differently (-want +got):\n%s", diff)
	}
	err = json.Unmarshal([]byte(`{"verdict": "green"}`), &read)
	if err == nil || !strings.Contains(err.Error(), `"green"`) {
		t.Errorf("an unknown verdict was read: %v", err)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "null"},
		{"ACCEPTED_REPLAY", "ACCEPTED_REPLAY"},
		{"push-msg-0026", "push-msg-0026"},
		{"u1@example.org", "u1@example.org"},
		{"通知", "通知"},
		{"", `""`},
		{"-", `"-"`},
		{"two words", `"two words"`},
		{"a,b", `"a,b"`},
		{"[a]", `"[a]"`},
		{"line\nend", `"line\nend"`},
		{"null", `"null"`},
		{"true", `"true"`},
		{"1e3", `"1e3"`},
		{"\xff", `"\xff"`},
		{true, "true"},
		{int64(-7), "-7"},
		{25.0, "25"},
		{0.1, "0.1"},
		{float32(0.1), "0.1"},
		{1e6, "1000000"},
		{check.Number("25.00"), "25.00"},
		{time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), "2026-01-02T03:04:05.000006Z"},
		{[]byte{0xde, 0xad}, `\xdead`},
		{[]any{"a", nil, []string{"b c"}}, `[a, null, ["b c"]]`},
		{map[string]any{"b": 1.5, "a": "x"}, "{a: x, b: 1.5}"},
	} {
		if got := check.Text(c.value); got != c.want {
			t.Errorf("Text(%#v) = %s, want %s", c.value, got, c.want)
		}
	}
}

func TestShorten(t *testing.T) {
	short := strings.Repeat("é", 240)
	if got := check.Shorten(short); got != short {
		t.Errorf("a text of 240 characters was cut: %s", got)
	}
	long := strings.Repeat("a", 5000) + strings.Repeat("b", 5000)
	got := check.Shorten(long)
	if len(got) > 250 || !strings.HasPrefix(got, "aaa") || !strings.HasSuffix(got, "bbb") ||
		!strings.Contains(got, "(10000 characters)") {
		t.Errorf("got %s", got)
	}
}

func TestLongTextsShowWhereTheyPart(t *testing.T) {
	before, after := strings.Repeat("a", 500), strings.Repeat("b", 500)
	lines := check.Compare("body", tableOf("v", []any{before + "X" + after}),
		expecting(check.Row{{Key: "v", Value: before + "Y" + after}}))
	want := `they part at character 501: expected "…` + strings.Repeat("a", 20) + "Y" +
		strings.Repeat("b", 39) + `…", actual "…` + strings.Repeat("a", 20) + "X" +
		strings.Repeat("b", 39) + `…"`
	if diff := cmp.Diff([]string{want}, check.Explain(lines[0])); diff != "" {
		t.Errorf("explanation differs (-want +got):\n%s", diff)
	}
	if lines[0].Expected != lines[0].Actual {
		t.Error("the two are expected to be shortened to the same text here")
	}
}
