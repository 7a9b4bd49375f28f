package verb

import (
	"context"
	"fmt"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// note prints a fact, as a line that is never part of evidence.
func note(ctx context.Context, on observer, step *scenario.Note) ([]result.Entry, error) {
	table, err := readFact(ctx, on, step.Fact.Value, false)
	if err != nil {
		return nil, err
	}
	title := step.Title
	if title == "" {
		title = step.Fact.Value
	}
	rows := make([]string, 0, len(table.Rows))
	for _, row := range table.Rows {
		rows = append(rows, check.Text(row))
	}
	text := fmt.Sprintf("%s: %s", title, check.Shorten(strings.Join(rows, ", ")))
	return []result.Entry{{Kind: result.Note, Text: text, At: at(step.At)}}, nil
}
