package check

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many equal elements are shown around each change.
const contextLines = 2

// Changes is a difference of two lists as a reader of patches knows it, an element a line: "- " for
// what is only in the first, "+ " for what is only in the second, and some that are in both around
// each change. It is empty for equal lists.
func Changes(old, new []string) []string {
	before := asLines(old)
	edits := udiff.Lines(before, asLines(new))
	whole, err := udiff.ToUnifiedDiff("old", "new", before, edits, contextLines)
	if err != nil {
		return nil // edits of the text itself always fit it
	}
	var lines []string
	end := 1 // the line of the old list after the hunk before
	for _, hunk := range whole.Hunks {
		if hunk.FromLine > end {
			lines = append(lines, "  …")
		}
		end = hunk.FromLine
		for _, line := range hunk.Lines {
			text := strings.TrimSuffix(line.Content, "\n")
			switch line.Kind {
			case udiff.Delete:
				lines = append(lines, "- "+text)
				end++
			case udiff.Insert:
				lines = append(lines, "+ "+text)
			default:
				lines = append(lines, "  "+text)
				end++
			}
		}
	}
	if len(lines) > 0 && end <= len(old) {
		lines = append(lines, "  …")
	}
	return lines
}

// asLines is a list as a text of one line for each element, whatever an element holds.
func asLines(list []string) string {
	var text strings.Builder
	for _, element := range list {
		text.WriteString(strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(element) + "\n")
	}
	return text.String()
}
