package report

import (
	_ "embed" // the page's template
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/result"
)

//go:embed page.html
var htmlTemplate string

// htmlReport gathers results and writes them as one page that needs nothing else: no script, no
// font, no picture. What did not pass comes first. Colour never says anything that a word does not.
type htmlReport struct {
	out     io.Writer
	options Options
	tally   tally
	results []htmlResult
}

// htmlPage is what the template is filled with.
type htmlPage struct {
	Verdict, Summary, Took, Trouble string
	Notes                           []string
	Results                         []htmlResult
}

type htmlResult struct {
	ID, Mark, System, Scenario, Title string
	File, Variant, Skipped            string
	Passed, Judged, Attempts          int
	Took, Again                       string
	Points                            []htmlPoint
	Limits                            []string
	Lives                             []htmlLife
}

// htmlPoint is an entry of a result. Open shows why it did not pass.
type htmlPoint struct {
	Class, Word, Text string
	Open, Compared    bool
	Expected, Actual  string
	At, Step          string
	Lines             []htmlLine
}

// htmlLine is a line of an explanation; Change is the sign of one that says what differs.
type htmlLine struct{ Change, Text string }

type htmlLife struct {
	Name    string
	Events  []string
	Printed string
}

func newHTML(out io.Writer, options Options) Reporter {
	return &htmlReport{out: out, options: options}
}

// Result adds one scenario.
func (h *htmlReport) Result(r result.Result) {
	h.tally.add(r)
	var own tally
	own.add(r)
	shown := htmlResult{
		ID: fmt.Sprintf("result-%d", h.tally.scenarios), Mark: markOf(r), System: r.System,
		Scenario: r.Scenario, Title: r.Title, File: r.File, Variant: r.Variant, Skipped: r.Skipped,
		Passed: own.checks.Passed, Judged: len(points(r)), Attempts: r.Attempts,
		Took: seconds(r.Duration), Limits: r.Limits, Lives: livesOf(r),
	}
	if r.Skipped == "" && r.Verdict != check.Pass {
		shown.Again = h.options.Again.Of(r)
	}
	for _, entry := range r.Entries {
		shown.Points = append(shown.Points, htmlPointOf(r, entry))
	}
	h.results = append(h.results, shown)
}

func htmlPointOf(r result.Result, entry result.Entry) htmlPoint {
	point := htmlPoint{Word: string(entry.Kind), Text: entry.Text}
	switch entry.Kind {
	case result.Check:
		point.Word, point.Text = entry.Line.Word(), entry.Line.Statement()
		point.Class, point.Open = entry.Line.Verdict.String(), entry.Line.Verdict != check.Pass
	case result.Trouble:
		point.Word, point.Class, point.Open = "INCONCLUSIVE", check.Inconclusive.String(), true
	}
	if !point.Open {
		return point
	}
	point.At, point.Step = entry.At, strings.Join(entry.Step, "\n")
	point.Expected, point.Actual = entry.Line.Expected, entry.Line.Actual
	point.Compared = point.Expected != "" || point.Actual != ""
	differing := len(check.Explain(entry.Line))
	for i, line := range details(r, entry) {
		shown := htmlLine{Text: line}
		if i < differing && len(line) > 1 && line[1] == ' ' {
			shown.Change = line[:1]
		}
		point.Lines = append(point.Lines, shown)
	}
	return point
}

// livesOf are the lives of a result's workers, each with its events in order and what it printed
// last.
func livesOf(r result.Result) []htmlLife {
	events := map[string][]string{}
	var names []string
	for _, e := range r.History {
		name := lifeOf(e.Worker, e.Incarnation)
		if events[name] == nil {
			names = append(names, name)
		}
		events[name] = append(events[name], brief(e))
	}
	var lives []htmlLife
	for _, worker := range r.Workers {
		name := lifeOf(worker.Name, worker.Incarnation)
		ending := worker.Ending
		if worker.Quiet {
			ending = "ended after the last check"
		}
		lives = append(lives, htmlLife{
			Name: fmt.Sprintf("%s (program %s): %s", name, worker.Program, ending), Events: events[name],
			Printed: strings.Join(worker.Lines, "\n"),
		})
		names = slices.DeleteFunc(names, func(other string) bool { return other == name })
	}
	slices.Sort(names)
	for _, name := range names {
		lives = append(lives, htmlLife{Name: name, Events: events[name]})
	}
	return lives
}

// Close writes the page.
func (h *htmlReport) Close(end End) error {
	summary := h.tally.end(end)
	page := htmlPage{
		Verdict: summary.Verdict().String(), Summary: summary.String(), Took: seconds(end.Took),
		Trouble: end.Trouble, Notes: end.Notes, Results: h.results,
	}
	if end.Trouble != "" && summary.Verdict() == check.Pass {
		page.Verdict = check.Inconclusive.String()
	}
	slices.SortStableFunc(page.Results, func(a, b htmlResult) int { return rankOf(a) - rankOf(b) })
	laid, err := template.New("page").Parse(htmlTemplate)
	if err != nil {
		return fmt.Errorf("read the template of the HTML report: %w", err)
	}
	var text strings.Builder
	err = laid.Execute(&text, page)
	if err == nil {
		_, err = io.WriteString(h.out, xmlText(text.String()))
	}
	if err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// rankOf puts what has to be looked at first.
func rankOf(r htmlResult) int {
	return slices.Index([]string{
		check.Fail.String(), check.Inconclusive.String(), "skipped", check.Pass.String(),
	}, r.Mark)
}
