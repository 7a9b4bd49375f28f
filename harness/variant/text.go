package variant

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// character is one character of a string literal's value, with the bytes that write it in the file.
type character struct {
	value      rune
	start, end int
	raw        bool // it stands between backquotes
	literal    int  // counts the literals of the declaration
}

// matchText finds text in the string literals of the declarations, word by word: white space is
// folded, and literals joined by + are one text.
func matchText(regions []region, text string) (found []match, nearest *match, err error) {
	wanted := words(plainCharacters(text))
	if len(wanted) == 0 {
		return nil, nil, errors.New("the old text is empty")
	}
	closest := newClosest(wanted)
	for _, region := range regions {
		texts, err := literalTexts(region)
		if err != nil {
			return nil, nil, err
		}
		for _, characters := range texts {
			units := words(characters)
			for _, at := range occurrences(units, wanted) {
				first, last := units[at], units[at+len(wanted)-1]
				found = append(found, match{
					file: region.file, start: first.start, end: last.end,
					write: textWriter(characters, first.start, last.end),
				})
			}
			closest.look(region.file, units)
		}
	}
	return found, closest.match(), nil
}

// words splits a text into runs of letters, digits and _ (with the $ of a parameter), and single
// other characters. White space only separates.
func words(characters []character) []unit {
	var units []unit
	joined := false
	for _, character := range characters {
		inWord := character.value == '_' || character.value == '$' ||
			unicode.IsLetter(character.value) || unicode.IsDigit(character.value)
		switch {
		case unicode.IsSpace(character.value):
			joined = false
			continue
		case inWord && joined && character.value != '$':
			last := &units[len(units)-1]
			last.text += string(character.value)
			last.end = character.end
		default:
			units = append(units, unit{string(character.value), character.start, character.end})
		}
		joined = inWord
	}
	return units
}

func plainCharacters(text string) []character {
	var characters []character
	for i, value := range text {
		characters = append(characters, character{
			value: value, start: i, end: i + len(string(value)),
		})
	}
	return characters
}

// literalTexts reads the string literals of a declaration; those joined by + come as one.
func literalTexts(region region) ([][]character, error) {
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, region.file.path, region.file.content, 0)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", region.file.name, err)
	}
	var texts [][]character
	joined := map[*ast.BasicLit]bool{}
	literals := 0
	add := func(list []*ast.BasicLit) {
		var characters []character
		for _, literal := range list {
			start := positions.Position(literal.Pos()).Offset
			if start < region.start || start >= region.end {
				return
			}
			literals++
			joined[literal] = true
			characters = append(characters, literalCharacters(literal.Value, start, literals)...)
		}
		texts = append(texts, characters)
	}
	ast.Inspect(tree, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BinaryExpr:
			if list, all := concatenated(node); all && !joined[list[0]] {
				add(list)
			}
		case *ast.BasicLit:
			if node.Kind == token.STRING && !joined[node] {
				add([]*ast.BasicLit{node})
			}
		}
		return true
	})
	return texts, nil
}

// concatenated lists the literals of "a" + "b" + …; all is false when anything else takes part.
func concatenated(expression ast.Expr) (list []*ast.BasicLit, all bool) {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		return []*ast.BasicLit{expression}, expression.Kind == token.STRING
	case *ast.BinaryExpr:
		left, leftAll := concatenated(expression.X)
		right, rightAll := concatenated(expression.Y)
		return append(left, right...), expression.Op == token.ADD && leftAll && rightAll
	}
	return nil, false
}

// literalCharacters reads a literal whose first quote is at offset start of its file.
func literalCharacters(literal string, start, number int) []character {
	var characters []character
	if strings.HasPrefix(literal, "`") {
		body := strings.Trim(literal, "`")
		for i, value := range body {
			at := start + 1 + i
			characters = append(characters, character{
				value, at, at + len(string(value)), true, number,
			})
		}
		return characters
	}
	for rest := literal[1:]; len(rest) > 1; {
		value, _, after, err := strconv.UnquoteChar(rest, '"')
		if err != nil {
			break // the parser has accepted it, so this does not happen
		}
		at := start + len(literal) - len(rest)
		characters = append(characters, character{
			value, at, at + len(rest) - len(after), false, number,
		})
		rest = after
	}
	return characters
}

// textWriter writes a replacement in the quoting of the literal that it goes into. One that spans
// several literals ends the first and begins the last.
func textWriter(characters []character, start, end int) func(string) (string, error) {
	var first, last character
	for _, character := range characters {
		if character.start == start {
			first = character
		}
		if character.end == end {
			last = character
		}
	}
	return func(replacement string) (string, error) {
		replacement = strings.TrimSpace(replacement)
		if !first.raw {
			quoted := strconv.Quote(replacement)
			replacement = quoted[1 : len(quoted)-1]
		} else if strings.Contains(replacement, "`") {
			return "", errors.New("the new text holds a backquote, and goes between backquotes")
		}
		if first.literal != last.literal {
			replacement += quote(first) + " + " + quote(last)
		}
		return replacement, nil
	}
}

func quote(c character) string {
	if c.raw {
		return "`"
	}
	return `"`
}
