package report

import (
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/check"
	"lostreply/harness/result"
)

// tap writes the Test Anything Protocol, version 14 (testanything.org, "TAP 14 specification"): a
// test point for each scenario, its checks as a subtest before it.
type tap struct {
	out     io.Writer
	options Options
	tally   tally
	failure error
}

func newTAP(out io.Writer, options Options) Reporter {
	t := &tap{out: out, options: options}
	t.line("", "TAP version 14")
	return t
}

func (t *tap) line(indent, format string, arguments ...any) {
	_, err := fmt.Fprintf(t.out, indent+format+"\n", arguments...)
	if t.failure == nil {
		t.failure = err
	}
}

// Result writes one scenario.
func (t *tap) Result(r result.Result) {
	t.tally.add(r)
	name := tapText(fmt.Sprintf("%s %s: %s", r.System, r.Scenario, r.Title))
	if r.Skipped != "" {
		t.line("", "ok %d - %s # SKIP %s", t.tally.scenarios, name, tapText(r.Skipped))
		return
	}
	const inner = "    "
	t.line("", "# Subtest: %s", name)
	all := points(r)
	for i, p := range all {
		t.line(inner, "%s %d - %s", tapWord(p.verdict), i+1, tapText(p.name))
		if p.verdict != check.Pass {
			t.diagnostics(inner, pointDiagnostics(r, p, t.options.Again))
		}
	}
	t.line(inner, "1..%d", len(all))
	t.line("", "%s %d - %s", tapWord(r.Verdict), t.tally.scenarios, name)
	t.diagnostics("", caseDiagnostics{
		Verdict: r.Verdict.String(), Attempts: r.Attempts, Variant: r.Variant, File: r.File,
		DurationMillis: float64(r.Duration.Microseconds()) / 1000,
	})
}

// Close writes the plan.
func (t *tap) Close(end End) error {
	for _, note := range end.Notes {
		t.line("", "# %s", note)
	}
	if end.Trouble != "" {
		t.line("", "Bail out! %s", strings.ReplaceAll(end.Trouble, "\n", " "))
	} else {
		t.line("", "1..%d", t.tally.scenarios)
	}
	t.line("", "# %s", t.tally.end(end))
	if t.failure != nil {
		return fmt.Errorf("write TAP: %w", t.failure)
	}
	return nil
}

func tapWord(verdict check.Verdict) string {
	if verdict == check.Pass {
		return "ok"
	}
	return "not ok"
}

// tapText is a description: on one line, with what would begin a directive escaped.
func tapText(text string) string {
	return strings.NewReplacer("\\", "\\\\", "#", "\\#", "\n", " ", "\r", " ").Replace(text)
}

// caseDiagnostics are told of every scenario. Millis is what the protocol's readers know.
type caseDiagnostics struct {
	Verdict        string  `yaml:"verdict"`
	Attempts       int     `yaml:"attempts"`
	DurationMillis float64 `yaml:"duration_ms"`
	Variant        string  `yaml:"variant,omitempty"`
	File           string  `yaml:"file"`
}

// checkDiagnostics are told of what did not pass.
type checkDiagnostics struct {
	Message  string   `yaml:"message"`
	Severity string   `yaml:"severity"`
	Expected string   `yaml:"expected,omitempty"`
	Actual   string   `yaml:"actual,omitempty"`
	At       place    `yaml:"at,omitempty"`
	Details  []string `yaml:"details,omitempty"`
	Again    string   `yaml:"again"`
}

type place struct {
	File string `yaml:"file"`
	Line int    `yaml:"line,omitempty"`
}

func pointDiagnostics(r result.Result, p point, again Again) checkDiagnostics {
	file, line := placeOf(p.entry.At)
	return checkDiagnostics{
		Message: p.statement(), Severity: p.verdict.String(), Expected: p.entry.Line.Expected,
		Actual: p.entry.Line.Actual, At: place{file, line}, Details: details(r, p.entry),
		Again: again.Of(r),
	}
}

func (t *tap) diagnostics(indent string, of any) {
	var text strings.Builder
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := encoder.Encode(of)
	if err == nil {
		err = encoder.Close()
	}
	if err != nil && t.failure == nil {
		t.failure = err
	}
	indent += "  "
	t.line(indent, "---")
	for _, line := range strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n") {
		t.line(indent, "%s", line)
	}
	t.line(indent, "...")
}
