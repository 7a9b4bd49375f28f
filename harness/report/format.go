package report

import (
	"fmt"
	"io"
	"time"

	"lostreply/harness/check"
	"lostreply/harness/result"
	"lostreply/harness/strict"
)

// Reporter is shown each result as it comes, and at last what the whole came to. It writes one
// format.
type Reporter interface {
	// Result takes one scenario's result.
	Result(r result.Result)
	// Close writes what is left to write. Its error is that of the writer.
	Close(end End) error
}

// End is what is known of a run when it is over.
type End struct {
	// Notes say what did not run, and why.
	Notes []string
	// NotRun is how many of the chosen scenarios gave no result.
	NotRun int
	// Trouble is what went wrong in the harness beside all scenarios; empty when nothing did.
	Trouble string
	// Took is how long the whole run took.
	Took time.Duration
}

// Options are what reports depend on besides the results.
type Options struct {
	// Verbose prints every event and what each worker printed, in text.
	Verbose bool
	// Again is the command that repeats a scenario.
	Again Again
}

// Format is one way to write results.
type Format struct {
	// Name is the word of --format.
	Name string
	// File is the name of its file in --out.
	File string
	// New makes a reporter that writes to out.
	New func(out io.Writer, options Options) Reporter
}

// Formats are all formats, by name.
func Formats() []Format {
	return []Format{
		{"github", "summary.md", newStepSummary},
		{"html", "report.html", newHTML},
		{"json", "report.json", newJSON},
		{"junit", "junit.xml", newJUnit},
		{"tap", "report.tap", newTAP},
		{"text", "report.txt", newText},
	}
}

// FormatNamed finds a format; its error lists the valid ones.
func FormatNamed(name string) (Format, error) {
	var names []string
	for _, format := range Formats() {
		if format.Name == name {
			return format, nil
		}
		names = append(names, format.Name)
	}
	return Format{}, fmt.Errorf("%s", strict.Unknown("format", name, names))
}

// tally counts what a run came to; every format adds results to it in the same way.
type tally struct {
	checks    check.Summary
	scenarios int
	attempts  int
}

func (t *tally) add(r result.Result) {
	t.scenarios++
	t.attempts += r.Attempts
	if r.Skipped != "" {
		t.checks.Skipped++
		return
	}
	for _, entry := range r.Entries {
		switch entry.Kind {
		case result.Check:
			t.checks.Add(entry.Line)
		case result.Trouble:
			t.checks.AddVerdict(check.Inconclusive)
		}
	}
}

// end is what everything came to.
func (t *tally) end(end End) check.Summary {
	t.checks.NotRun = end.NotRun
	return t.checks
}

// Count is what one result adds to the summary.
func Count(r result.Result) check.Summary {
	var counted tally
	counted.add(r)
	return counted.checks
}

// Attempted says how long a result took and how often it was tried.
func Attempted(r result.Result) string {
	return fmt.Sprintf("took %s, attempts=%d", r.Duration.Round(time.Millisecond), r.Attempts)
}

// point is one thing of a result that was judged, or could not be: what every format has a line
// for.
type point struct {
	entry   result.Entry
	name    string
	verdict check.Verdict
}

// points are a result's judgements and troubles, in order.
func points(r result.Result) []point {
	var all []point
	for _, entry := range r.Entries {
		switch entry.Kind {
		case result.Check:
			all = append(all, point{entry, entry.Line.Name, entry.Line.Verdict})
		case result.Trouble:
			all = append(all, point{entry, entry.Text, check.Inconclusive})
		}
	}
	return all
}

// statement is a point in one line: FAIL task state (expected=UNKNOWN, actual=FAILED).
func (p point) statement() string {
	if p.entry.Kind == result.Check {
		return p.entry.Line.String()
	}
	return "INCONCLUSIVE " + p.entry.Text
}

// unpassed are the points that did not pass.
func unpassed(r result.Result) []point {
	var left []point
	for _, p := range points(r) {
		if p.verdict != check.Pass {
			left = append(left, p)
		}
	}
	return left
}
