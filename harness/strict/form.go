package strict

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	aliasRefused  = "aliases are not part of the language: write the value out"
	anchorRefused = "anchors are not part of the language: write the value out where it is used"
	mergeRefused  = "merge keys are not part of the language: write the keys out"
	tagRefused    = "tags are not part of the language: remove it"
)

// formCheck walks the whole tree for what the language leaves out, whatever the target is.
type formCheck struct {
	file     string
	lines    []string
	problems Problems
	tooDeep  bool
}

func (f *formCheck) problem(node *yaml.Node, format string, args ...any) {
	f.problems = append(f.problems, problemAt(f.file, node, format, args...))
}

func (f *formCheck) check(node *yaml.Node, depth int) {
	if depth > maxDepth {
		if !f.tooDeep {
			f.problem(node, "nested more than %d deep", maxDepth)
		}
		f.tooDeep = true
		return
	}
	if node.Kind == yaml.AliasNode {
		f.problem(node, aliasRefused)
		return // Following it is how a small file becomes a large one.
	}
	if node.Anchor != "" {
		f.problem(node, anchorRefused)
	}
	if f.tagged(node) {
		f.problem(node, tagRefused)
	}
	switch node.Kind {
	case yaml.MappingNode:
		f.checkKeys(node)
		for i := 1; i < len(node.Content); i += 2 {
			f.check(node.Content[i], depth+1)
		}
	case yaml.SequenceNode:
		for _, item := range node.Content {
			f.check(item, depth+1)
		}
	}
}

// tagged is whether a tag is written before a node. The reader marks no node that has the bare tag
// "!", so the source is looked at as well: nothing else begins with that sign.
func (f *formCheck) tagged(node *yaml.Node) bool {
	if node.Style&yaml.TaggedStyle != 0 {
		return true
	}
	if node.Line < 1 || node.Line > len(f.lines) || node.Column < 1 {
		return false
	}
	column := 1
	for _, sign := range f.lines[node.Line-1] {
		if column == node.Column {
			return sign == '!'
		}
		column++
	}
	return false
}

func (f *formCheck) checkKeys(node *yaml.Node) {
	first := make(map[string]*yaml.Node, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if message := keyRefusal(key); message != "" {
			f.problem(key, "%s", message)
			continue
		}
		if key.Anchor != "" {
			f.problem(key, anchorRefused)
		}
		if f.tagged(key) {
			f.problem(key, tagRefused)
		}
		if earlier, ok := first[key.Value]; ok {
			f.problem(key, "duplicate key %s: it is given first on line %d",
				quote(key.Value), earlier.Line)
			continue
		}
		first[key.Value] = key
	}
}

// keyRefusal says why a node can't be a key; empty when it can. A key is a name, so yes and no are
// good keys, as a column or header may be called that.
func keyRefusal(key *yaml.Node) string {
	switch {
	case key.Kind == yaml.AliasNode:
		return aliasRefused
	case key.Kind != yaml.ScalarNode:
		return fmt.Sprintf("expected text as a key, got %s", describe(key))
	case key.Tag == "!!merge":
		return mergeRefused
	}
	switch kindOf(key) {
	case textScalar, yesNoScalar:
		return ""
	case emptyScalar:
		return "expected text as a key, got nothing"
	}
	return fmt.Sprintf("expected text as a key, got %s: quote it", describe(key))
}

func problemAt(file string, node *yaml.Node, format string, args ...any) Problem {
	return Problem{
		At:      Position{File: file, Line: max(node.Line, 1), Column: max(node.Column, 1)},
		Message: fmt.Sprintf(format, args...),
	}
}
