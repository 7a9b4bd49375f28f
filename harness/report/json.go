package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"lostreply/harness/check"
	"lostreply/harness/result"
)

// jsonVersion names the form of the document. It changes when a reader would have to.
const jsonVersion = "lostreply-report/1"

//go:embed report.schema.json
var jsonSchema []byte

// Schema is the JSON Schema of what the format json writes.
func Schema() []byte { return append([]byte(nil), jsonSchema...) }

// document is what the format json writes.
type document struct {
	Format   string        `json:"format"`
	Verdict  check.Verdict `json:"verdict"`
	Summary  check.Summary `json:"summary"`
	Duration int64         `json:"duration_ns"`
	Notes    []string      `json:"notes,omitempty"`
	Trouble  string        `json:"trouble,omitempty"`
	Results  []reported    `json:"results"`
}

// reported is a result with the command that repeats it.
type reported struct {
	result.Result
	Again string `json:"again"`
}

type jsonReport struct {
	out      io.Writer
	options  Options
	tally    tally
	document document
}

func newJSON(out io.Writer, options Options) Reporter {
	return &jsonReport{out: out, options: options, document: document{
		Format: jsonVersion, Results: []reported{},
	}}
}

// Result adds one scenario.
func (j *jsonReport) Result(r result.Result) {
	j.tally.add(r)
	j.document.Results = append(j.document.Results, reported{r, j.options.Again.Of(r)})
}

// Close writes the document.
func (j *jsonReport) Close(end End) error {
	whole := &j.document
	whole.Summary = j.tally.end(end)
	whole.Verdict = whole.Summary.Verdict()
	if end.Trouble != "" && whole.Verdict == check.Pass {
		whole.Verdict = check.Inconclusive
	}
	whole.Notes, whole.Trouble = end.Notes, end.Trouble
	whole.Duration = end.Took.Nanoseconds()
	encoder := json.NewEncoder(j.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
