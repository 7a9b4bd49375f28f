package scenario

import (
	"strings"

	"lostreply/harness/strict"
)

// textAtMost bounds how many lines of a step are shown.
const textAtMost = 8

// Text is how the step at a position is written in the file: its line, and those below that are
// indented further. It is empty for a place of no step.
func (s *Scenario) Text(at strict.Position) []string {
	if at.File != s.File || at.Line < 1 || at.Line > len(s.Source) {
		return nil
	}
	first := s.Source[at.Line-1]
	indent := indentOf(first)
	if !strings.HasPrefix(first[indent:], "- ") {
		return nil
	}
	lines := []string{first[indent:]}
	for _, line := range s.Source[at.Line:] {
		if strings.TrimSpace(line) == "" || indentOf(line) <= indent {
			break
		}
		if len(lines) == textAtMost {
			return append(lines, "  …")
		}
		lines = append(lines, line[indent:])
	}
	return lines
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
