package report

import (
	"fmt"
	"io"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/result"
)

// annotations writes text with GitHub's workflow commands in it: a runner shows each as a remark at
// the scenario's line. Every other reader has the text.
type annotations struct {
	*Text
	runner io.Writer
}

// NewAnnotated makes a printer of text with annotations for GitHub Actions.
func NewAnnotated(out io.Writer, options Options) Reporter {
	text := NewText(unheard{out})
	text.Verbose, text.Again = options.Verbose, options.Again
	return &annotations{Text: text, runner: out}
}

// unheard is text that the runner must not take for a command: what a worker printed is in it. The
// runner looks for one behind leading spaces too, and for its old form anywhere in a line.
type unheard struct{ out io.Writer }

// Write writes a line, with what would be a command broken up.
func (u unheard) Write(line []byte) (int, error) {
	text := strings.ReplaceAll(string(line), "##[", "# #[")
	if bare := strings.TrimLeft(text, " \t"); strings.HasPrefix(bare, "::") {
		text = strings.Replace(text, "::", ": :", 1)
	}
	if _, err := io.WriteString(u.out, text); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Result prints one scenario, then its annotations.
func (a *annotations) Result(r result.Result) {
	a.Text.Result(r)
	for _, line := range annotationsOf(r, a.Again) {
		fmt.Fprintln(a.runner, line)
	}
}

// Close prints what went wrong beside all scenarios, then the last line.
func (a *annotations) Close(end End) error {
	if end.Trouble != "" {
		fmt.Fprintln(a.runner, workflowCommand("error", "", "trouble of the harness", end.Trouble))
	}
	return a.Text.Close(end)
}

// annotationsOf are the workflow commands of one result.
func annotationsOf(r result.Result, again Again) []string {
	if r.Skipped != "" {
		title := fmt.Sprintf("%s %s skipped", r.System, r.Scenario)
		return []string{workflowCommand("notice", r.File+":1", title, r.Skipped)}
	}
	var lines []string
	for _, p := range unpassed(r) {
		text := append([]string{p.statement()}, Explanation(r, p.entry, again)...)
		title := fmt.Sprintf("%s %s: %s", r.System, r.Scenario, p.name)
		lines = append(lines, workflowCommand("error", p.entry.At, title, strings.Join(text, "\n")))
	}
	return lines
}

// workflowCommand is one command to the runner: docs.github.com, "Workflow commands".
func workflowCommand(kind, at, title, message string) string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	properties := "title=" + property.Replace(title)
	if file, line := placeOf(at); file != "" {
		properties = fmt.Sprintf("file=%s,line=%d,%s", property.Replace(file), max(line, 1), properties)
	}
	return fmt.Sprintf("::%s %s::%s", kind, properties, data.Replace(message))
}

// explainedAtMost bounds a step summary: GitHub refuses one beyond 1 MiB.
const explainedAtMost = 50

// stepSummary writes a page in Markdown for $GITHUB_STEP_SUMMARY.
type stepSummary struct {
	out     io.Writer
	options Options
	tally   tally
	results []result.Result
}

func newStepSummary(out io.Writer, options Options) Reporter {
	return &stepSummary{out: out, options: options}
}

// NewStepSummary makes the page that GitHub shows beneath a step.
func NewStepSummary(out io.Writer, options Options) Reporter { return newStepSummary(out, options) }

// Result adds one scenario.
func (s *stepSummary) Result(r result.Result) {
	s.tally.add(r)
	s.results = append(s.results, r)
}

// Close writes the page.
func (s *stepSummary) Close(end End) error {
	var page strings.Builder
	summary := s.tally.end(end)
	fmt.Fprintf(&page, "## lostreply: %s\n\n`%s`\n\n", summary.Verdict(), summary)
	for _, note := range end.Notes {
		fmt.Fprintf(&page, "%s\n\n", note)
	}
	if end.Trouble != "" {
		fmt.Fprintf(&page, "### Trouble of the harness\n\n%s\n\n", fenced(end.Trouble))
	}
	page.WriteString("| | system | scenario | title | checks | took | attempts |\n" +
		"|---|---|---|---|---|---|---|\n")
	for _, r := range s.results {
		var own tally
		own.add(r)
		fmt.Fprintf(&page, "| %s | %s | %s | %s | %d of %d | %s s | %d |\n", markOf(r), cell(r.System),
			cell(r.Scenario), cell(r.Title), own.checks.Passed, len(points(r)), seconds(r.Duration),
			r.Attempts)
	}
	explained := 0
	for _, r := range s.results {
		if r.Skipped != "" || r.Verdict == check.Pass {
			continue
		}
		if explained++; explained > explainedAtMost {
			fmt.Fprintf(&page, "\nThere are more; the log has them all.\n")
			break
		}
		fmt.Fprintf(&page, "\n### %s %s\n\n%s\n", r.System, r.Scenario, fenced(s.told(r)))
	}
	if _, err := io.WriteString(s.out, page.String()); err != nil {
		return fmt.Errorf("write the step summary: %w", err)
	}
	return nil
}

func (s *stepSummary) told(r result.Result) string {
	var lines []string
	for _, p := range unpassed(r) {
		lines = append(lines, p.statement())
		for _, line := range Explanation(r, p.entry, s.options.Again) {
			lines = append(lines, "  "+line)
		}
	}
	const most = 12_000
	text := strings.Join(lines, "\n")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "\n…"
	}
	return text
}

func markOf(r result.Result) string {
	if r.Skipped != "" {
		return "skipped"
	}
	return r.Verdict.String()
}

// fenced is a text as a block of code that nothing in it can end.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
