package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/report"
	"lostreply/harness/result"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with a committed file, or writes that with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden text: %v; write it with: go test ./harness/report -update", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); d != "" {
		t.Errorf("%s differs (- golden, + now); if that is right: "+
			"go test ./harness/report -update\n%s", path, d)
	}
}

// written is what a format makes of results.
func written(t *testing.T, format string, end report.End, results ...result.Result) string {
	t.Helper()
	found, err := report.FormatNamed(format)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	reporter := found.New(&out, report.Options{})
	return closed(t, &out, reporter, end, results...)
}

func closed(
	t *testing.T, out *strings.Builder, reporter report.Reporter, end report.End,
	results ...result.Result,
) string {
	t.Helper()
	for _, r := range results {
		reporter.Result(r)
	}
	if err := reporter.Close(end); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// sampleEnd is the end of a run that left something out.
var sampleEnd = report.End{
	Notes: []string{"1 left out (S9), tagged slow: name its path"}, Took: 1500 * time.Millisecond,
}

// sample is one result of each kind: passed, failed, inconclusive, skipped. Names and texts hold
// what each format has to escape.
func sample() []result.Result {
	results := []result.Result{passed(), failed(), doubtful(), {
		Scenario: "S4", Title: "nothing to run it with", System: "other",
		File: "scenarios/other/S4.yaml", Skipped: "no node on this machine # not even one",
		Attempts: 0,
	}}
	for i := range results {
		results[i].Judge()
	}
	return results
}

func passed() result.Result {
	return result.Result{
		Scenario: "S1", Title: "sent once", System: "mail", File: "scenarios/mail/S1.yaml",
		Attempts: 1, Duration: 1234567 * time.Microsecond,
		Entries: []result.Entry{
			{Kind: result.Held, Text: "w1.1 push#1 response", At: "scenarios/mail/S1.yaml:7", After: 2},
			{
				Kind: result.Check, At: "scenarios/mail/S1.yaml:9", After: 3,
				Line: check.Line{Verdict: check.Pass, Name: "push sends", Expected: "1", Actual: "1"},
			},
		},
		Workers: []result.Worker{{
			Name: "w1", Incarnation: 1, Program: "work", Command: []string{"work", "--once"},
			Ending: "exit 0", Lines: []string{"last lines of worker w1:", "  done"},
		}},
		History: history("w1"),
	}
}

func failed() result.Result {
	return result.Result{
		Scenario: "S2[mode=a,b]", Title: "100% of #2 with <tags> & \"quotes\", and C:\\paths",
		System: "mail", Variant: "old-bug", File: "scenarios/mail/S2.yaml",
		Attempts: 2, Duration: 20 * time.Millisecond,
		Entries: []result.Entry{
			{
				Kind: result.Check, At: "scenarios/mail/S2.yaml:12", After: 3,
				Line: check.Line{
					Verdict: check.Fail, Name: "states # 1", Expected: "[SENT, SENT]",
					Actual:     "[SENT, ]]>\x01]",
					Difference: []string{"at 2: expected SENT, actual ]]>\x01"},
				},
				Context: []string{
					"last lines of worker w1:", "  50% done: a, b", "  ::error::mine", "  ##[error]",
				},
			},
			{
				Kind: result.Check, At: "scenarios/mail/S2.yaml:13", After: 3,
				Line: check.Line{Verdict: check.Pass, Name: "push sends", Expected: "1", Actual: "1"},
			},
		},
		History: history("w1"),
	}
}

func doubtful() result.Result {
	return result.Result{
		Scenario: "S3", Title: "a hold that nobody reaches", System: "other",
		File: "scenarios/other/S 3.yaml", Attempts: 1, Duration: time.Second,
		Entries: []result.Entry{{
			Kind: result.Trouble, Text: "w1.1 push#2 response was not reached",
			At: "scenarios/other/S 3.yaml:5", Context: []string{"it came to:", "  w1.1 push#1 response"},
		}},
	}
}

func history(worker string) []event.Event {
	return []event.Event{
		{
			Sequence: 1, Worker: worker, Incarnation: 1, Kind: event.Call, Phase: event.Request,
			Names: []string{"push"}, Nth: event.Numbers{{Name: "push", Nth: 1}}, Label: "POST /send",
		},
		{
			Sequence: 2, Worker: worker, Incarnation: 1, Kind: event.Call, Phase: event.Response,
			Names: []string{"push"}, Nth: event.Numbers{{Name: "push", Nth: 1}}, Label: "POST /send",
			Detail: "key=k1",
		},
		{
			Sequence: 3, Worker: worker, Incarnation: 1, Kind: event.Exit, Phase: event.Response,
			Names: []string{"exit"}, Nth: event.Numbers{{Name: "exit", Nth: 1}}, Label: "exit 0",
		},
	}
}
