package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	maxSize  = 1 << 20 // Bytes of a file. A scenario is a page; more is a mistake or an attack.
	maxDepth = 64      // Lists and mappings inside one another.
)

// Document is one YAML document that holds nothing but mappings with text keys, lists and plain
// scalars: no anchor, alias, merge key or tag, and no key twice.
type Document struct {
	file string
	root *yaml.Node
}

// File is the name of the file as it was given to Parse.
func (d *Document) File() string { return d.file }

// Root is the outermost node.
func (d *Document) Root() *yaml.Node { return d.root }

// Parse reads exactly one YAML document. Its error is a Problems with every mistake of the form:
// not YAML, empty, several documents, too large or too deep, a tab as indentation, and whatever a
// Document does not hold. Aliases are refused as they stand, and never expanded. If there is a
// tree nonetheless, it is returned beside the error, so that the mistakes in its content can be
// told too.
func Parse(file string, source []byte) (*Document, error) {
	document, problems := parse(file, source)
	return document, problems.Sorted().Err()
}

// Load parses and decodes, and tells the mistakes of both at once.
func Load(file string, source []byte, target any) Problems {
	document, problems := parse(file, source)
	if document != nil {
		problems = append(problems, Decode(document, target)...)
	}
	return problems.Sorted()
}

// parse returns a document whenever there is a tree that can be decoded, so that the mistakes of
// form and those of content are told together.
func parse(file string, source []byte) (*Document, Problems) {
	at := func(line, column int, format string, args ...any) Problems {
		return Problems{{Position{file, line, column}, fmt.Sprintf(format, args...)}}
	}
	if len(source) > maxSize {
		return nil, at(1, 1, "the file has %d bytes: at most %d are read", len(source), maxSize)
	}
	if line, ok := lineOfBadText(source); ok {
		return nil, at(line, 1, "not UTF-8 text")
	}
	source = bytes.TrimPrefix(source, []byte("\ufeff"))
	if line, ok := lineOfTab(source); ok {
		return nil, at(line, 1, "tab as indentation: use spaces")
	}
	root, second, err := readNodes(source)
	if err != nil {
		line, message := explainSyntax(err, source)
		return nil, at(line, 1, "not YAML: %s", message)
	}
	if root == nil || (root.Kind == yaml.ScalarNode && kindOf(root) == emptyScalar) {
		return nil, at(1, 1, "the file is empty: expected one YAML document")
	}
	if second != nil {
		return nil, at(max(second.Line, 1), max(second.Column, 1),
			"a second YAML document: expected exactly one in a file")
	}
	form := formCheck{file: file, lines: lineBreak.Split(string(source), -1)}
	form.check(root, 1)
	if form.tooDeep {
		return nil, form.problems
	}
	return &Document{file: file, root: root}, form.problems
}

// lineBreak is what the YAML reader counts as the end of a line.
var lineBreak = regexp.MustCompile(`\r\n|[\n\r\x{85}\x{2028}\x{2029}]`)

// readNodes reads the first document and looks for a second. Reading into nodes expands no alias.
func readNodes(source []byte) (root, second *yaml.Node, err error) {
	// The reader is foreign code that meets arbitrary bytes; if it panics, the file is at fault.
	defer func() {
		if trouble := recover(); trouble != nil {
			root, second, err = nil, nil, fmt.Errorf("yaml: the reader gave up: %v", trouble)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	var first, next yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	root = content(&first)
	if err := decoder.Decode(&next); errors.Is(err, io.EOF) {
		return root, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	return root, content(&next), nil
}

// content is the node inside a document node.
func content(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.DocumentNode && len(node.Content) > 0 {
		return node.Content[0]
	}
	return node
}

var syntaxMessage = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// explainSyntax takes the line out of an error of the YAML reader, and adds what to do for the
// mistakes that are made most.
func explainSyntax(err error, source []byte) (line int, message string) {
	line, message = 1, err.Error()
	if match := syntaxMessage.FindStringSubmatch(message); match != nil {
		message = match[2]
		if number, err := strconv.Atoi(match[1]); err == nil {
			line = number
		}
		switch {
		case strings.Contains(match[2], "did not find expected key"),
			strings.Contains(match[2], "did not find expected '-' indicator"):
			line = firstLineWith(err, source)
		case strings.Contains(match[2], "did not find expected ',' or"):
			line++ // The reader's parser counts lines from 0, its scanner from 1.
		}
	}
	if name, ok := unknownAnchor(message); ok {
		if before, _, found := bytes.Cut(source, []byte("*"+name)); found {
			line = 1 + bytes.Count(before, []byte("\n"))
		}
		return line, fmt.Sprintf("%s: %s", shorten(message), aliasRefused)
	}
	hints := []struct{ about, hint string }{
		{"mapping values are not allowed", `quote a text that holds ": "`},
		{"cannot start any token", "quote a text that begins with one of @ ` % or a tab"},
		{"did not find expected key", "check the indentation of this line"},
		{"did not find expected '-' indicator", "check the indentation of this line"},
		{"could not find expected ':'", "write key: value, with a space after the colon"},
	}
	for _, h := range hints {
		if strings.Contains(message, h.about) {
			return line, fmt.Sprintf("%s: %s", message, h.hint)
		}
	}
	return line, message
}

// firstLineWith finds the line that an error is about, where the reader names the beginning of the
// block around it: the last line of the shortest beginning of the file that gives this error.
func firstLineWith(err error, source []byte) int {
	lines := bytes.SplitAfter(source, []byte("\n"))
	return 1 + sort.Search(len(lines)-1, func(i int) bool {
		_, _, sooner := readNodes(bytes.Join(lines[:i+1], nil))
		return sooner != nil && sooner.Error() == err.Error()
	})
}

// unknownAnchor is the name in the reader's error about an alias without an anchor.
func unknownAnchor(message string) (string, bool) {
	name, found := strings.CutPrefix(message, "unknown anchor '")
	name, referenced := strings.CutSuffix(name, "' referenced")
	return name, found && referenced
}

// lineOfBadText finds the first line that is not UTF-8.
func lineOfBadText(source []byte) (int, bool) {
	if utf8.Valid(source) {
		return 0, false
	}
	for i, line := range bytes.Split(source, []byte("\n")) {
		if !utf8.Valid(line) {
			return i + 1, true
		}
	}
	return 1, true
}

// lineOfTab finds the first line that begins with a tab. The reader lets some pass and calls others
// "a character that cannot start any token"; text inside a block scalar begins with spaces.
func lineOfTab(source []byte) (int, bool) {
	for i, line := range lineBreak.Split(string(source), -1) {
		if strings.HasPrefix(line, "\t") && strings.TrimSpace(line) != "" {
			return i + 1, true
		}
	}
	return 0, false
}

// WithRoot is the same file with another tree, made from this one: a template with its values put
// in. The tree's nodes keep their places.
func (d *Document) WithRoot(root *yaml.Node) *Document {
	return &Document{file: d.file, root: root}
}
