// Package report prints results: as text for people, as evidence that is compared byte for byte,
// and as the summary page. It runs nothing, so that a saved result can be printed again.
package report

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/fatih/color"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
)

// eventsBefore is how many events before a failed check are shown.
const eventsBefore = 12

// Text prints results for people.
type Text struct {
	// Verbose prints every event, every worker and all notes.
	Verbose bool
	// Again is the command that runs a scenario again: a file is put after it.
	Again string

	out     io.Writer
	summary check.Summary
	green   *color.Color
	red     *color.Color
	yellow  *color.Color
	faint   *color.Color
}

// NewText makes a printer. Colour is used where color.NoColor allows it.
func NewText(out io.Writer) *Text {
	return &Text{
		out: out, Again: "./run.sh", green: color.New(color.FgGreen),
		red: color.New(color.FgRed, color.Bold), yellow: color.New(color.FgYellow, color.Bold),
		faint: color.New(color.Faint),
	}
}

// Result prints one scenario and counts its checks.
func (t *Text) Result(r result.Result) {
	fmt.Fprintf(t.out, "CASE %s :: %s\n", r.Scenario, r.Title)
	if r.Skipped != "" {
		fmt.Fprintf(t.out, "  skip %s\n", r.Skipped)
		t.summary.Skipped++
		return
	}
	for _, entry := range r.Entries {
		t.entry(r, entry)
	}
	for _, limit := range r.Limits {
		fmt.Fprintf(t.out, "  note not proved: %s\n", limit)
	}
	if t.Verbose {
		t.whole(r)
	}
}

func (t *Text) entry(r result.Result, entry result.Entry) {
	switch entry.Kind {
	case result.Check:
		t.summary.Add(entry.Line)
		word := fmt.Sprintf("%-4s", entry.Line.Word())
		fmt.Fprintf(t.out, "  %s %s\n", t.paint(entry.Line.Verdict, word), entry.Line.Statement())
		if entry.Line.Verdict != check.Pass {
			t.explain(r, entry, check.Explain(entry.Line))
		}
	case result.Held:
		fmt.Fprintf(t.out, "  held %s\n", entry.Text)
	case result.Note:
		fmt.Fprintf(t.out, "  note %s\n", entry.Text)
	case result.Trouble:
		t.summary.AddVerdict(check.Inconclusive)
		word := t.paint(check.Inconclusive, "INCONCLUSIVE")
		fmt.Fprintf(t.out, "  %s %s\n", word, entry.Text)
		t.explain(r, entry, nil)
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

// explain prints what a reader needs to see why: the step, the difference, the events before, the
// last lines, and how to run it again.
func (t *Text) explain(r result.Result, entry result.Entry, difference []string) {
	lines := []string{entry.At}
	lines = append(lines, difference...)
	if entry.Kind == result.Check {
		lines = append(lines, eventsByWorker(r.History, entry.After)...)
	}
	lines = append(lines, entry.Context...)
	lines = append(lines, "again: "+t.again(r))
	for _, line := range lines {
		fmt.Fprintf(t.out, "       %s\n", t.faint.Sprint(line))
	}
}

func (t *Text) again(r result.Result) string {
	command := t.Again
	if r.Variant != "" {
		command += " run --variant " + r.Variant
	}
	return command + " " + r.File
}

// eventsByWorker shows the last events before an entry, a line for each life of a worker: which of
// two workers came first is often nobody's choice, and the same run prints the same bytes.
func eventsByWorker(history []event.Event, after int) []string {
	from := max(0, min(after, len(history))-eventsBefore)
	var order []string
	byWorker := map[string][]string{}
	for _, e := range history[from:min(after, len(history))] {
		life := fmt.Sprintf("%s.%d", e.Worker, e.Incarnation)
		if byWorker[life] == nil {
			order = append(order, life)
		}
		byWorker[life] = append(byWorker[life], brief(e))
	}
	if len(order) == 0 {
		return nil
	}
	sort.Strings(order)
	lines := []string{"events before it, by worker:"}
	for _, life := range order {
		lines = append(lines, fmt.Sprintf("  %s: %s", life, strings.Join(byWorker[life], ", ")))
	}
	return lines
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
	return fmt.Sprintf("%s#%d %s", e.Names[0], e.Nth[e.Names[0]], e.Phase)
}

// whole prints everything that is known of a run.
func (t *Text) whole(r result.Result) {
	fmt.Fprintf(t.out, "  note took %s\n", r.Duration.Round(1e6))
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
func (t *Text) Summary() check.Summary { return t.summary }

// Close prints the last line.
func (t *Text) Close() { fmt.Fprintln(t.out, t.summary) }
