package scenario

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// cell is one combination of a scenario's matrix: the document with the parameters put in.
type cell struct {
	name     string
	document *strict.Document
}

// matrixPrefix begins the names of a matrix's parameters in placeholders.
const matrixPrefix = "matrix."

// mostCells bounds a matrix: more combinations are a mistake, or a task for explore.
const mostCells = 256

// cells puts every combination of the matrix into a copy of the document. A scenario without a
// matrix has one cell without a name.
func cells(document *strict.Document, problems *Problems) []cell {
	matrix := child(document.Root(), "matrix")
	if matrix == nil || matrix.Kind != yaml.MappingNode {
		leftovers(document, document.Root(), nil, problems)
		return []cell{{document: document}}
	}
	combinations := []map[string]*yaml.Node{{}}
	var names []string
	for i := 0; i+1 < len(matrix.Content); i += 2 {
		name, values := matrix.Content[i].Value, matrix.Content[i+1]
		at := strict.Position{File: document.File(), Line: values.Line, Column: values.Column}
		if values.Kind != yaml.SequenceNode || len(values.Content) == 0 {
			problems.Addf(at, "matrix parameter %s: expected a list of values", name)
			return nil
		}
		names = append(names, name)
		combinations = product(combinations, name, values.Content)
		if len(combinations) > mostCells {
			problems.Addf(at, "the matrix has more than %d combinations", mostCells)
			return nil
		}
	}
	result := make([]cell, 0, len(combinations))
	for _, combination := range combinations {
		root := substitute(document.Root(), combination)
		leftovers(document, root, names, problems)
		result = append(result, cell{
			name: cellName(names, combination), document: document.WithRoot(root),
		})
	}
	return result
}

func product(
	combinations []map[string]*yaml.Node, name string, values []*yaml.Node,
) []map[string]*yaml.Node {
	var all []map[string]*yaml.Node
	for _, combination := range combinations {
		for _, value := range values {
			extended := map[string]*yaml.Node{name: value}
			for other, node := range combination {
				extended[other] = node
			}
			all = append(all, extended)
		}
	}
	return all
}

func cellName(names []string, combination map[string]*yaml.Node) string {
	parts := make([]string, 0, len(names))
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s=%s", name, combination[name].Value))
	}
	return strings.Join(parts, ",")
}

func child(mapping *yaml.Node, key string) *yaml.Node {
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// substitute copies a tree with the parameters put in. A scalar that is nothing but ${matrix.NAME}
// becomes the value itself, with its type; elsewhere its text is put in. Positions stay those of
// the file.
func substitute(node *yaml.Node, combination map[string]*yaml.Node) *yaml.Node {
	copied := *node
	if node.Kind == yaml.ScalarNode {
		for name, value := range combination {
			whole := "${" + matrixPrefix + name + "}"
			if node.Value == whole {
				replaced := *value
				replaced.Line, replaced.Column = node.Line, node.Column
				return &replaced
			}
			copied.Value = strings.ReplaceAll(copied.Value, whole, value.Value)
		}
		return &copied
	}
	copied.Content = make([]*yaml.Node, len(node.Content))
	for i, inner := range node.Content {
		copied.Content[i] = substitute(inner, combination)
	}
	return &copied
}

// leftovers reports parameters that no matrix has.
func leftovers(
	document *strict.Document, node *yaml.Node, names []string, problems *Problems,
) {
	for _, name := range Placeholders(node.Value) {
		if parameter, is := strings.CutPrefix(name, matrixPrefix); is {
			at := strict.Position{File: document.File(), Line: node.Line, Column: node.Column}
			problems.Addf(at, "%s", strict.Unknown("matrix parameter", parameter, names))
		}
	}
	for _, inner := range node.Content {
		leftovers(document, inner, names, problems)
	}
}
