package strict_test

import (
	"testing"

	"lostreply/harness/strict"
)

var fuzzSeeds = []string{
	"", "a: 1", "a: &x [*x]", "? {a: b}\n: c", "a: !!int x", "<<: {a: 1}", "--- a\n--- b",
	"a: |\n  x\n", "{a: [1, 2, {b: ~}]}", "\ufeffa: 'b'", "a:\r\n- b\u0085c: ! d",
	"%YAML 1.2\n---\na",
	"program: x\nsteps: [{run: {program: y}}]\nsubject: {fact: z}\nlease: 3s\nexpected: {a: 1.5}",
}

// FuzzParse looks for a source that brings the parser down, or that is neither accepted nor refused
// with a place inside the file.
func FuzzParse(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		document, err := strict.Parse("f", source)
		if document == nil && err == nil {
			t.Error("neither a document nor an error")
		}
		if err != nil {
			checkPlaces(t, source, err.(strict.Problems))
		}
	})
}

// FuzzDecode looks for a source that brings the decoder down, and for one that is accepted and yet
// holds no valid program, or a count below its minimum.
func FuzzDecode(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		var target sample
		problems := strict.Load("f", source, &target)
		checkPlaces(t, source, problems)
		if len(problems) > 0 {
			return
		}
		if target.Program.At.Line == 0 || target.Nth < 0 || target.Nth > 1000 || target.Lease < 0 {
			t.Errorf("accepted: %+v", target)
		}
		for _, step := range target.Steps {
			if step.Body == nil {
				t.Errorf("accepted a step without a body: %+v", step)
			}
		}
	})
}

// checkPlaces demands that each problem says something, at a place that exists. The YAML reader
// counts more signs as line ends than the line feed, so no file has more lines than bytes and one.
func checkPlaces(t *testing.T, source []byte, problems strict.Problems) {
	t.Helper()
	for _, problem := range problems {
		at := problem.At
		if at.Line < 1 || at.Line > len(source)+1 || at.Column < 1 || problem.Message == "" {
			t.Errorf("a problem without a place or a message: %+v", problem)
		}
	}
}
