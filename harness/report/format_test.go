package report_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lostreply/harness/report"
)

// TestFormats holds what each format makes of one result of each kind.
func TestFormats(t *testing.T) {
	for _, format := range report.Formats() {
		t.Run(format.Name, func(t *testing.T) {
			golden(t, "sample-"+format.File, written(t, format.Name, sampleEnd, sample()...))
		})
	}
	t.Run("annotations", func(t *testing.T) {
		var out strings.Builder
		reporter := report.NewAnnotated(&out, report.Options{})
		golden(t, "sample-annotations.txt", closed(t, &out, reporter, sampleEnd, sample()...))
	})
}

// TestTroubleIsTold makes sure that trouble beside all scenarios is no empty success anywhere.
func TestTroubleIsTold(t *testing.T) {
	end := report.End{Trouble: "no PostgreSQL:\nnothing worked"}
	for format, want := range map[string]string{
		"html": "<h2>Trouble of the harness</h2>",
		"tap":  "Bail out! no PostgreSQL: nothing worked", "junit": `errors="1"`,
		"json": `"verdict": "inconclusive"`, "github": "nothing worked",
	} {
		if text := written(t, format, end); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q:\n%s", format, want, text)
		}
		if text := written(t, format, end, passed()); !strings.Contains(text, want) {
			t.Errorf("%s beside a pass does not say %q:\n%s", format, want, text)
		}
		if text := written(t, format, report.End{}, sample()[0]); strings.Contains(text, want) {
			t.Errorf("%s says %q of a run without trouble:\n%s", format, want, text)
		}
	}
}

// TestJSONKeepsItsSchema validates what is written, and refuses what the schema does not know.
func TestJSONKeepsItsSchema(t *testing.T) {
	schema := compiled(t)
	text := written(t, "json", sampleEnd, sample()...)
	if err := validate(t, schema, text); err != nil {
		t.Errorf("the report does not keep its schema: %v\n%s", err, text)
	}
	trouble := written(t, "json", report.End{Trouble: "no PostgreSQL"})
	if err := validate(t, schema, trouble); err != nil {
		t.Errorf("the report of trouble does not keep its schema: %v\n%s", err, trouble)
	}
	for _, change := range [][2]string{
		{`"verdict": "pass"`, `"verdict": "fine"`}, {`"attempts": 1,`, ``},
		{`"sequence": 1,`, `"Sequence": 1,`}, {`"kind": "held"`, `"kind": "head"`},
		{`"summary": {`, `"total": 1, "summary": {`},
	} {
		wrong := strings.Replace(text, change[0], change[1], 1)
		if wrong == text {
			t.Fatalf("the report has no %s", change[0])
		}
		if validate(t, schema, wrong) == nil {
			t.Errorf("the schema accepts %s in place of %s", change[1], change[0])
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("report.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

// TestAWriterThatFailsIsAnError makes sure that a report that could not be written is no success.
func TestAWriterThatFailsIsAnError(t *testing.T) {
	for _, format := range report.Formats() {
		reporter := format.New(full{}, report.Options{})
		reporter.Result(passed())
		if err := reporter.Close(report.End{}); !errors.Is(err, errFull) {
			t.Errorf("%s: the error is %v, want that of the writer", format.Name, err)
		}
	}
}

var errFull = errors.New("no space left")

// full is a file on a full disk.
type full struct{}

// Write writes nothing.
func (full) Write([]byte) (int, error) { return 0, errFull }

// TestUnknownFormat lists what is valid.
func TestUnknownFormat(t *testing.T) {
	_, err := report.FormatNamed("junti")
	const want = `unknown format "junti": did you mean "junit"? ` +
		`valid: github, html, json, junit, tap, text`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
