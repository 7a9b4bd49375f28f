package process_test

import (
	"testing"

	"lostreply/harness/process"
)

func TestALineIsPrintableWhateverAWorkerWrites(t *testing.T) {
	for text, expected := range map[string]string{
		"plain, übergroß ✓\ttabbed": "plain, übergroß ✓\ttabbed",
		`a \x1b that was typed`:     `a \x1b that was typed`,
		"\x1b[2Jgone":               `\x1b[2Jgone`,
		"over\rwritten\a":           `over\rwritten\a`,
		"not \xff UTF-8":            `not \xff UTF-8`,
		"right\u202eleft":           `right\u202eleft`,
		"":                          "",
	} {
		if got := (process.Line{Text: text}).Printable(); got != expected {
			t.Errorf("%q is printed %q, expected %q", text, got, expected)
		}
	}
}
