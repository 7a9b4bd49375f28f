package check_test

import (
	"fmt"
	"strings"
	"testing"

	"lostreply/harness/check"
)

// TestEachColumnOfALongRowIsShown makes sure that of a wide row no column is lost, and that of one
// long value the middle is left out, not the columns beside it.
func TestEachColumnOfALongRowIsShown(t *testing.T) {
	var columns []string
	var row []any
	for i := range 40 {
		columns = append(columns, fmt.Sprintf("column_%d", i))
		row = append(row, fmt.Sprintf("value-%d", i))
	}
	row[20] = strings.Repeat("a", 300) + strings.Repeat("b", 300)
	table := check.Table{Columns: columns, Rows: [][]any{row, row}}
	for name, shown := range map[string]string{
		"count":   strings.Join(check.Compare("", table, expecting(check.Count(1)))[0].Difference, ""),
		"rows":    strings.Join(check.Compare("", table, expecting(check.Rows{row}))[0].Difference, ""),
		"listing": strings.Join(table.Listing(2), ""),
	} {
		for i, column := range columns {
			if i != 20 && !strings.Contains(shown, column+": value-") && name != "rows" ||
				!strings.Contains(shown, fmt.Sprintf("value-%d", i)) && i != 20 {
				t.Errorf("%s does not show %s:\n%s", name, column, shown)
			}
		}
		if !strings.Contains(shown, `"aaaa`) || !strings.Contains(shown, "… (600 characters) …") {
			t.Errorf("%s does not leave out the middle of the long value:\n%s", name, shown)
		}
		if len(shown) > 3000 {
			t.Errorf("%s has %d bytes", name, len(shown))
		}
	}
}
