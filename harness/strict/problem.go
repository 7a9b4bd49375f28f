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

// alikeTold is how many problems of one file that say the same are told one by one: a file that
// repeats one mistake a thousand times shall not hide the others.
const alikeTold = 5

// Error writes one problem per line, in the order of their places, each once. Of many in one file
// that say the same, the first are told, and how many there are.
func (p Problems) Error() string {
	type kind struct{ file, message string }
	sorted := p.Sorted()
	alike, told := map[kind]int{}, map[kind]int{}
	for _, problem := range sorted {
		alike[kind{problem.At.File, problem.Message}]++
	}
	lines := make([]string, 0, len(sorted))
	for _, problem := range sorted {
		same := kind{problem.At.File, problem.Message}
		told[same]++
		switch more := alike[same] - alikeTold; {
		case told[same] > alikeTold:
		case told[same] == alikeTold && more > 0:
			lines = append(lines, fmt.Sprintf("%s (and %d more like this in the file)", problem, more))
		default:
			lines = append(lines, problem.String())
		}
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
