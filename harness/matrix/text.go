package matrix

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Table prints rows as they come, beneath each other.
type Table struct {
	out   io.Writer
	width int // of the longest label
}

// NewTable begins a table of these variants.
func NewTable(out io.Writer, variants []Variant) *Table {
	table := &Table{out: out}
	for _, v := range variants {
		table.width = max(table.width, len(v.Label()))
	}
	return table
}

// Row prints one row, and beneath it why it is not caught.
func (t *Table) Row(row Row) error {
	_, err := fmt.Fprintf(t.out, "%-8s  %-*s  %s  %s\n%s", row.word(), t.width, row.Variant.Label(),
		strings.Join(row.Variant.scenarios(), " "), seconds(row.Took), beneath(row.Reasons))
	if err != nil {
		return fmt.Errorf("print the row of %s: %w", row.Variant.Label(), err)
	}
	return nil
}

// word is the verdict as the table has it: what fails the run stands out.
func (r Row) word() string {
	if r.Verdict == Survived {
		return strings.ToUpper(string(r.Verdict))
	}
	return string(r.Verdict)
}

func seconds(d time.Duration) string { return fmt.Sprintf("took %.1fs", d.Seconds()) }

func beneath(reasons []string) string {
	var text strings.Builder
	for _, reason := range reasons {
		for _, line := range strings.Split(strings.TrimSpace(reason), "\n") {
			text.WriteString("          " + line + "\n")
		}
	}
	return text.String()
}

// scenarios are those that the variant names, each once.
func (v Variant) scenarios() []string {
	var named []string
	seen := map[string]bool{}
	for _, f := range v.Fails {
		if !seen[f.Scenario.Value] {
			named = append(named, f.Scenario.Value)
		}
		seen[f.Scenario.Value] = true
	}
	return named
}

// Tally counts rows by verdict.
type Tally map[Verdict]int

// Summary is the last line: the variants, and the checks.
func Summary(tally Tally, account Account) string {
	text := fmt.Sprintf("VARIANTS caught=%d survived=%d trouble=%d", tally[Caught], tally[Survived],
		tally[Trouble])
	if tally[Skipped] > 0 {
		text += fmt.Sprintf(" skipped=%d", tally[Skipped])
	}
	text += fmt.Sprintf(" checks failed=%d of %d, excused=%d, unexplained=%d", len(account.Failed),
		account.Checks(), account.ExcusedChecks(), len(account.Unexplained))
	return text
}

// Listing are the lists' entries with how many checks they speak for, those that name what needs
// no excuse, and, with complete, the checks that nothing explains: without it most were only not
// tried.
func (a Account) Listing(complete bool) string {
	var text strings.Builder
	for _, each := range a.Excused {
		fmt.Fprintf(&text, "excused %s/%s (%d): %s\n", each.System, each.What(), len(each.Checks),
			each.Excuse.Why.Value)
	}
	for _, each := range a.Stale {
		for _, pattern := range each.Idle {
			fmt.Fprintf(&text, "STALE   %s: %s/%s: %q excuses nothing: take it off the list\n",
				each.Excuse.At, each.System, each.What(), pattern)
		}
	}
	if complete {
		for _, each := range a.Unexplained {
			fmt.Fprintf(&text, "UNEXPLAINED %s/%s: %s: no variant was seen to make it fail\n",
				each.System, each.Scenario, each.Name)
		}
	}
	return text.String()
}
