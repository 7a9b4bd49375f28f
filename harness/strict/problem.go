package strict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a file: where it is, what was expected, and the nearest valid word.
type Problem struct {
	At      Position
	Message string
}

// String writes a problem the way compilers do: file:line:column: message.
func (p Problem) String() string { return fmt.Sprintf("%s: %s", p.At, p.Message) }

// Problems is every mistake that was found. It is an error when it is not empty: return Err, never
// a Problems as an error, since an empty one would not be nil.
type Problems []Problem

// Error writes one problem per line, in the order of their places, each once.
func (p Problems) Error() string {
	lines := make([]string, 0, len(p))
	for _, problem := range p.Sorted() {
		lines = append(lines, problem.String())
	}
	return strings.Join(lines, "\n")
}

// Err is the problems as an error: nil when there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Sorted is the problems in the order of file, line, column and message, each once.
func (p Problems) Sorted() Problems {
	sorted := slices.Clone(p)
	slices.SortFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.At.File, b.At.File),
			cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Column, b.At.Column),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(sorted)
}
