package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"
)

// limits are the house numbers, in lines and columns. A tab counts as one column.
type limits struct{ function, file, testFile, columns int }

var houseLimits = limits{function: 70, file: 400, testFile: 600, columns: 100}

// sizes finds what is too long to be read at one glance.
func (l limits) sizes(s source) []finding {
	var findings []finding
	for _, declaration := range s.syntax.Decls {
		function, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction {
			continue
		}
		length := s.line(function.End()) - s.line(function.Pos()) + 1
		if length > l.function {
			findings = append(findings, s.finding(function.Pos(),
				"function %s has %d lines, %d are allowed: give a part of it a name of its own",
				function.Name.Name, length, l.function))
		}
	}
	allowed, advice := l.file, "split it by what it is about"
	if s.isTest {
		allowed, advice = l.testFile, "split it by what it tests"
	}
	if len(s.lines) > allowed {
		findings = append(findings, s.finding(s.syntax.Package,
			"the file has %d lines, %d are allowed: %s", len(s.lines), allowed, advice))
	}
	return append(findings, l.wideLines(s)...)
}

// wideLines finds lines with too many columns, but for those that can't be broken: a struct tag
// that documents a key, an address of the web, and, in tests, text that is expected as it stands.
func (l limits) wideLines(s source) []finding {
	literal := map[int]bool{}
	if s.isTest {
		literal = rawLines(s)
	}
	var findings []finding
	for i, text := range s.lines {
		columns := utf8.RuneCountInString(text)
		if columns <= l.columns || literal[i+1] ||
			strings.Contains(text, `doc:"`) || strings.Contains(text, `help:"`) || strings.Contains(text, "://") {
			continue
		}
		findings = append(findings, finding{s.path, i + 1, fmt.Sprintf(
			"the line has %d columns, %d are allowed: break it", columns, l.columns)})
	}
	return findings
}

// rawLines are the numbers of the lines in raw string literals of several lines.
func rawLines(s source) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		literal, isLiteral := node.(*ast.BasicLit)
		if !isLiteral || literal.Kind != token.STRING || literal.Value[0] != '`' {
			return true
		}
		first, last := s.line(literal.Pos()), s.line(literal.End())
		for line := first; line <= last && first < last; line++ {
			lines[line] = true
		}
		return true
	})
	return lines
}
