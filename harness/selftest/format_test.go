package selftest

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// differing are scenarios of which some pass and some fail.
const differing = "^(a1|a2)$"

// TestFormats writes every format at once, and each alone to standard output.
func TestFormats(t *testing.T) {
	t.Parallel()
	folder, page := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "page.md")
	write(t, page, "what an earlier step said\n")
	o := callWith(t, []string{"GITHUB_STEP_SUMMARY=" + page}, "run", selectable, "--run", differing,
		"--format", "text,tap,junit,json,html", "--format", "github", "--out", folder)
	o.expectStatus(t, 1)
	if !strings.HasSuffix(o.stdout, "\nSUMMARY passed=1 failed=1\n") {
		t.Errorf("the summary is not the last line:\n%s", o.stdout)
	}
	at := "\n::error file=testdata/selection/a2.yaml,line=8,title="
	if strings.Count(o.stdout, "::error") != 1 || !strings.Contains(o.stdout, at) {
		t.Errorf("want one annotation, at the failed check:\n%s", o.stdout)
	}
	for name, want := range map[string]string{
		"report.txt": "\nSUMMARY passed=1 failed=1\n", "report.tap": "\n1..2\n",
		"report.html": "<th scope=\"row\"><a href=\"#result-2\">a2</a></th>",
		"junit.xml":   `<testcase name="a2" classname="selection"`,
		"report.json": `"again": "./run.sh testdata/selection/a2.yaml"`,
		"summary.md":  "### selection a2\n", "selection/a2.json": `"scenario": "a2"`,
	} {
		if text := readFile(t, filepath.Join(folder, name)); !strings.Contains(text, want) {
			t.Errorf("%s does not hold %q:\n%s", name, want, text)
		}
	}
	summary := readFile(t, page)
	if !strings.HasPrefix(summary, "what an earlier step said\n## lostreply: fail\n") {
		t.Errorf("the step's page:\n%s", summary)
	}
}

// TestOneFormat gives standard output to the one format that is asked for, whole.
func TestOneFormat(t *testing.T) {
	t.Parallel()
	run := func(format string) string {
		return call(t, "run", selectable, "--run", differing, "--format", format).
			expectStatus(t, 1).stdout
	}
	var document struct {
		Results []struct{ Scenario, Verdict string }
	}
	if err := json.Unmarshal([]byte(run("json")), &document); err != nil {
		t.Error(err)
	}
	if len(document.Results) != 2 || document.Results[1].Verdict != "fail" {
		t.Errorf("the JSON says %v", document)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	if err := xml.Unmarshal([]byte(run("junit")), &suites); err != nil {
		t.Error(err)
	}
	if suites.Tests != 2 || suites.Failures != 1 {
		t.Errorf("the XML says %+v", suites)
	}
	if text := run("tap"); !strings.HasPrefix(text, "TAP version 14\n") {
		t.Errorf("the TAP begins otherwise:\n%s", text)
	}
}

// TestTroubleInEveryFormat makes sure that a run that could not begin is nowhere an empty success.
func TestTroubleInEveryFormat(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	o := callWith(t, nobodysPostgres(t), "run", held, "testdata/database/row.yaml",
		"--format", "tap,junit,json", "--out", folder).expectStatus(t, 3)
	const end = "note 2 of 2 scenarios did not run\nSUMMARY passed=0 failed=0 not_run=2\n"
	if !strings.HasSuffix(o.stdout, end) {
		t.Errorf("the summary is not the last line:\n%s", o)
	}
	for name, want := range map[string]string{
		"report.tap": "\nBail out! ", "junit.xml": `errors="1"`,
		"report.json": `"verdict": "inconclusive"`, "report.tap ": " not_run=2\n",
		"report.json ": `"not_run": 2`,
	} {
		name = strings.TrimSpace(name)
		if text := readFile(t, filepath.Join(folder, name)); !strings.Contains(text, want) {
			t.Errorf("%s does not hold %q:\n%s", name, want, text)
		}
	}
}

// TestBadOutput asks for what can't be written.
func TestBadOutput(t *testing.T) {
	t.Parallel()
	taken := filepath.Join(t.TempDir(), "taken")
	write(t, taken, "")
	var text strings.Builder
	for _, arguments := range [][]string{
		{"--format", "junti"}, {"--format", "tap,yaml"}, {"--format", "tap,json"},
		{"--format", "tap", "--out", filepath.Join(taken, "below")},
		{"--out", filepath.Join(taken, "below")}, {"--out", "/proc/self"},
	} {
		o := call(t, append([]string{"run", selectable}, arguments...)...).expectStatus(t, 2)
		if o.stdout != "" {
			t.Errorf("something ran:\n%s", o.stdout)
		}
		text.WriteString(o.String())
	}
	golden(t, "bad-output", normal(text.String(), map[string]string{taken: "TAKEN"}))
}

// TestNothingIsRetried runs what fails the first time and would pass the second: it fails, and says
// that it was tried once. Run twice on request, it is no pass either, and says how often.
func TestNothingIsRetried(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "system.yaml"), `system: second
programs:
  work:
    command: [sh, -c, "test -e $MARK; status=$?; touch $MARK; exit $status"]
    env: {MARK: "`+filepath.Join(folder, "mark")+`"}
`)
	write(t, filepath.Join(folder, "a.yaml"), `scenario: a
title: it passes the second time
system: second
steps:
  - start: {program: work}
  - wait: {worker: work}
expect:
  - check: {worker: work, ended: {exit: 0}}
`)
	once := call(t, "run", folder).expectStatus(t, 1)
	if !strings.Contains(once.stdout, "attempts=1\n") {
		t.Errorf("the attempts are not told:\n%s", once.stdout)
	}
	passes := call(t, "run", folder, "--format", "json").expectStatus(t, 0)
	if !strings.Contains(passes.stdout, `"attempts": 1,`) {
		t.Errorf("the attempts are not told:\n%s", passes.stdout)
	}
	if err := os.Remove(filepath.Join(folder, "mark")); err != nil {
		t.Fatal(err)
	}
	twice := call(t, "run", folder, "--repeat", "2", "--parallel", "1").expectStatus(t, 1)
	if !strings.Contains(twice.stdout, "attempts=2\n") {
		t.Errorf("the attempts are not told:\n%s", twice.stdout)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
