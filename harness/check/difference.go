package check

import (
	"fmt"
	"slices"
)

// changes is how a list that was read differs from the expected one. Places count from 0.
type changes struct {
	hunks []hunk
	moved []move
}

// hunk is a stretch between two places where the lists agree: what is missing there and what is
// there instead.
type hunk struct{ missing, unexpected []int }

// move is an element that is there, but elsewhere.
type move struct{ expected, actual int }

// comparedAtMost bounds the table of the longest common subsequence; longer lists are compared as
// one hunk between their common beginning and end.
const comparedAtMost = 1 << 20

// compareLists finds the fewest changes between a list of n expected elements and one of m.
func compareLists(n, m int, equal func(i, j int) bool) changes {
	var found changes
	start := 0
	for start < n && start < m && equal(start, start) {
		start++
	}
	for n > start && m > start && equal(n-1, m-1) {
		n, m = n-1, m-1
	}
	found.hunks = hunksBetween(start, n, m, equal)
	found.findMoves(equal)
	return found
}

// hunksBetween compares the elements from start to n and to m.
func hunksBetween(start, n, m int, equal func(i, j int) bool) []hunk {
	lengths := commonLengths(start, n, m, equal)
	var hunks []hunk
	var open hunk
	flush := func() {
		if len(open.missing)+len(open.unexpected) > 0 {
			hunks = append(hunks, open)
			open = hunk{}
		}
	}
	i, j := start, start
	for i < n || j < m {
		switch {
		case lengths != nil && i < n && j < m && equal(i, j):
			flush()
			i, j = i+1, j+1
		case j == m || i < n && (lengths == nil || lengths.at(i+1, j) >= lengths.at(i, j+1)):
			open.missing = append(open.missing, i)
			i++
		default:
			open.unexpected = append(open.unexpected, j)
			j++
		}
	}
	flush()
	return hunks
}

// commonTable holds the length of the longest common subsequence of the rests of two lists.
type commonTable struct {
	start, width int
	lengths      []int
}

func (t *commonTable) at(i, j int) int { return t.lengths[(i-t.start)*t.width+j-t.start] }

// commonLengths is nil when the lists are too long for it.
func commonLengths(start, n, m int, equal func(i, j int) bool) *commonTable {
	height, width := n-start+1, m-start+1
	if height > comparedAtMost/width {
		return nil
	}
	table := &commonTable{start: start, width: width, lengths: make([]int, height*width)}
	for i := n - 1; i >= start; i-- {
		for j := m - 1; j >= start; j-- {
			length := max(table.at(i+1, j), table.at(i, j+1))
			if equal(i, j) {
				length = table.at(i+1, j+1) + 1
			}
			table.lengths[(i-start)*width+j-start] = length
		}
	}
	return table
}

// findMoves takes out of the hunks what is missing in one place and found in another.
func (c *changes) findMoves(equal func(i, j int) bool) {
	if len(c.hunks) == 1 && len(c.hunks[0].missing) > comparedAtMost/1024 {
		return
	}
	for from := range c.hunks {
		c.hunks[from].missing = slices.DeleteFunc(c.hunks[from].missing, func(i int) bool {
			return c.take(i, equal)
		})
	}
	c.hunks = slices.DeleteFunc(c.hunks, func(h hunk) bool {
		return len(h.missing)+len(h.unexpected) == 0
	})
}

// take finds an expected element among the unexpected ones, and notes the move.
func (c *changes) take(i int, equal func(i, j int) bool) bool {
	for to := range c.hunks {
		unexpected := c.hunks[to].unexpected
		at := slices.IndexFunc(unexpected, func(j int) bool { return equal(i, j) })
		if at >= 0 {
			c.moved = append(c.moved, move{expected: i, actual: unexpected[at]})
			c.hunks[to].unexpected = slices.Delete(unexpected, at, at+1)
			return true
		}
	}
	return false
}

func (c changes) none() bool { return len(c.hunks)+len(c.moved) == 0 }

// orderOnly tells whether nothing is missing or unexpected, only elsewhere.
func (c changes) orderOnly() bool { return len(c.hunks) == 0 && len(c.moved) > 0 }

// description says how elements are printed.
type description struct {
	expected, actual func(place int) string
	// both says what is different about one element in place of another; nil says nothing more.
	both func(expected, actual int) string
	// since marks a comparison of what was with what is.
	since bool
}

// sides says which side is which.
func (d description) sides() string {
	if d.since {
		return "- then, + now:"
	}
	return "- expected, + actual:"
}

// describe writes the changes, one a line, places counting from 1.
func (c changes) describe(d description) []string {
	var lines []string
	for _, m := range c.moved {
		lines = append(lines, fmt.Sprintf("out of order: %s expected at %d, found at %d",
			shortenTo(d.expected(m.expected), longestRow), m.expected+1, m.actual+1))
	}
	if len(c.hunks) > 0 {
		lines = append(lines, d.sides())
	}
	for _, h := range c.hunks {
		lines = append(lines, h.describe(d)...)
	}
	return atMost(lines, "differences")
}

// describe writes a hunk as a patch does. What takes the place of something else comes with what is
// different about it.
func (h hunk) describe(d description) []string {
	var lines []string
	paired := len(h.missing) == len(h.unexpected)
	for k, i := range h.missing {
		lines = append(lines, fmt.Sprintf("- at %d: %s", i+1, shortenTo(d.expected(i), longestRow)))
		if paired {
			j := h.unexpected[k]
			lines = append(lines, fmt.Sprintf("+ at %d: %s", j+1, shortenTo(d.actual(j), longestRow)))
			if d.both != nil {
				lines = append(lines, "  "+d.both(i, j))
			}
		}
	}
	if paired {
		return lines
	}
	for _, j := range h.unexpected {
		lines = append(lines, fmt.Sprintf("+ at %d: %s", j+1, shortenTo(d.actual(j), longestRow)))
	}
	return lines
}
