// Package report prints results: as text for people, as evidence that is compared byte for byte,
// and as the summary page. It runs nothing, so that a saved result can be printed again.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
)

// Text prints results for people.
type Text struct {
	// Verbose prints every event, every worker and all notes.
	Verbose bool
	// Again is the command that repeats a scenario.
	Again Again

	out    io.Writer
	tally  tally
	green  *color.Color
	red    *color.Color
	yellow *color.Color
	faint  *color.Color
}

// NewText makes a printer. Colour is used where color.NoColor allows it.
func NewText(out io.Writer) *Text {
	return &Text{
		out: out, green: color.New(color.FgGreen),
		red: color.New(color.FgRed, color.Bold), yellow: color.New(color.FgYellow, color.Bold),
		faint: color.New(color.Faint),
	}
}

func newText(out io.Writer, options Options) Reporter {
	text := NewText(out)
	text.Verbose, text.Again = options.Verbose, options.Again
	return text
}

// Result prints one scenario and counts its checks.
func (t *Text) Result(r result.Result) {
	t.tally.add(r)
	fmt.Fprintf(t.out, "CASE %s :: %s\n", r.Scenario, r.Title)
	if r.Skipped != "" {
		fmt.Fprintf(t.out, "  skip %s\n", r.Skipped)
		return
	}
	for _, entry := range r.Entries {
		t.entry(r, entry)
	}
	for _, limit := range r.Limits {
		fmt.Fprintf(t.out, "  note not proved: %s\n", limit)
	}
	if t.Verbose || r.Verdict != check.Pass {
		fmt.Fprintf(t.out, "  note %s\n", Attempted(r))
	}
	if t.Verbose {
		t.whole(r)
	}
}

// explain prints what a reader needs to see why.
func (t *Text) explain(r result.Result, entry result.Entry) {
	for _, line := range Explanation(r, entry, t.Again) {
		fmt.Fprintf(t.out, "       %s\n", t.faint.Sprint(line))
	}
}

func (t *Text) entry(r result.Result, entry result.Entry) {
	switch entry.Kind {
	case result.Check:
		word := fmt.Sprintf("%-4s", entry.Line.Word())
		fmt.Fprintf(t.out, "  %s %s\n", t.paint(entry.Line.Verdict, word), entry.Line.Statement())
		if entry.Line.Verdict != check.Pass {
			t.explain(r, entry)
		}
	case result.Held:
		fmt.Fprintf(t.out, "  held %s\n", entry.Text)
	case result.Note:
		fmt.Fprintf(t.out, "  note %s\n", entry.Text)
	case result.Trouble:
		word := t.paint(check.Inconclusive, "INCONCLUSIVE")
		fmt.Fprintf(t.out, "  %s %s\n", word, entry.Text)
		t.explain(r, entry)
	}
}

func (t *Text) paint(verdict check.Verdict, word string) string {
	switch verdict {
	case check.Pass:
		return t.green.Sprint(word)
	case check.Fail:
		return t.red.Sprint(word)
	default:
		return t.yellow.Sprint(word)
	}
}

// brief names an event in a few words.
func brief(e event.Event) string {
	if e.Kind == event.Exit {
		return "exit (" + e.Label + ")"
	}
	if len(e.Names) == 0 {
		return fmt.Sprintf("%s %s", e.Label, e.Phase)
	}
	if e.Idle {
		return fmt.Sprintf("%s %s (idle)", e.Names[0], e.Phase)
	}
	return fmt.Sprintf("%s#%d %s", e.Names[0], e.Nth.Of(e.Names[0]), e.Phase)
}

// whole prints everything that is known of a run.
func (t *Text) whole(r result.Result) {
	for _, worker := range r.Workers {
		ending := worker.Ending
		if worker.Quiet {
			ending = "ended after the last check"
		}
		fmt.Fprintf(t.out, "  note worker %s.%d ran %s: %s\n", worker.Name, worker.Incarnation,
			strings.Join(worker.Command, " "), ending)
		for _, line := range worker.Lines {
			fmt.Fprintf(t.out, "       %s\n", line)
		}
	}
	for _, e := range r.History {
		fmt.Fprintf(t.out, "  note event %d %s\n", e.Sequence, e)
	}
}

// Summary is what was counted so far.
func (t *Text) Summary() check.Summary { return t.tally.checks }

// Close prints the notes of the end and, as the last line, the summary.
func (t *Text) Close(end End) error {
	for _, note := range end.Notes {
		fmt.Fprintf(t.out, "note %s\n", note)
	}
	if _, err := fmt.Fprintln(t.out, t.tally.end(end)); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}
