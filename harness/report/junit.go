package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"lostreply/harness/check"
	"lostreply/harness/result"
)

// junitXML gathers results and writes them as JUnit XML: a suite for each system, a test case for
// each scenario. A check that failed is a failure; what is inconclusive is an error. The elements
// and attributes are those of Jenkins's schema (junit-10.xsd of its xunit plugin).
type junitXML struct {
	out     io.Writer
	options Options
	suites  []*junit.Testsuite
	took    map[string]time.Duration // by suite
}

func newJUnit(out io.Writer, options Options) Reporter {
	return &junitXML{out: out, options: options, took: map[string]time.Duration{}}
}

func (j *junitXML) suite(name string) *junit.Testsuite {
	at := slices.IndexFunc(j.suites, func(s *junit.Testsuite) bool { return s.Name == name })
	if at < 0 {
		at = len(j.suites)
		j.suites = append(j.suites, &junit.Testsuite{Name: name, ID: at})
	}
	return j.suites[at]
}

// Result adds a test case.
func (j *junitXML) Result(r result.Result) {
	testcase := junit.Testcase{
		Name: r.Scenario, Classname: r.System, Time: seconds(r.Duration),
		SystemOut: &junit.Output{Data: xmlText(fmt.Sprintf("%s\n%s\n%s",
			r.Title, Attempted(r), strings.Join(statements(r), "\n")))},
	}
	switch {
	case r.Skipped != "":
		testcase.Skipped = &junit.Result{Message: xmlText(r.Skipped)}
	case r.Verdict == check.Fail:
		testcase.Failure = j.problem(r, check.Fail)
	case r.Verdict == check.Inconclusive:
		testcase.Error = j.problem(r, check.Inconclusive)
	}
	j.suite(r.System).AddTestcase(testcase)
	j.took[r.System] += r.Duration
}

// problem tells everything that did not pass. Its message is the first point with the scenario's
// verdict.
func (j *junitXML) problem(r result.Result, verdict check.Verdict) *junit.Result {
	var text strings.Builder
	problem := &junit.Result{Type: verdict.String(), Message: "nothing was judged"}
	told := false
	for _, p := range unpassed(r) {
		if p.verdict == verdict && !told {
			problem.Message, told = xmlText(p.statement()), true
		}
		fmt.Fprintln(&text, p.statement())
		for _, line := range Explanation(r, p.entry, j.options.Again) {
			fmt.Fprintln(&text, "  "+line)
		}
	}
	problem.Data = xmlText(text.String())
	return problem
}

func statements(r result.Result) []string {
	var lines []string
	for _, p := range points(r) {
		lines = append(lines, p.statement())
	}
	return lines
}

// Close writes the whole. Trouble of the harness is a test case of its own: a reader that knows
// nothing but test cases must not take the run for a good one.
func (j *junitXML) Close(end End) error {
	if end.Trouble != "" {
		j.suite("lostreply").AddTestcase(junit.Testcase{
			Name: "harness", Classname: "lostreply",
			Error: &junit.Result{
				Type: "trouble", Message: "trouble of the harness", Data: xmlText(end.Trouble),
			},
		})
	}
	whole := junit.Testsuites{Name: "lostreply", Time: seconds(end.Took)}
	for _, suite := range j.suites {
		suite.Time = seconds(j.took[suite.Name])
		whole.AddSuite(*suite)
	}
	whole.Skipped = 0 // the schema knows it of a suite only
	if _, err := io.WriteString(j.out, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	if err := whole.WriteXML(j.out); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	return nil
}

// seconds is a duration as the schema has it: at most three digits after the point.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// xmlText is a text without the characters that no XML may hold, even escaped.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
