package explore

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/check"
)

// mappingOf is the outermost mapping of a text.
func mappingOf(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("not YAML: %w", err)
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("not a mapping")
	}
	return document.Content[0], nil
}

// valueOf is the value of a key; nil when there is none.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

func text(value string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(value)
	return node
}

// bare is a scalar without quotes, whose type is what it looks like.
func bare(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

func number(value int64) *yaml.Node { return bare(strconv.FormatInt(value, 10)) }

// pair is one key of a mapping.
type pair struct {
	key   string
	value *yaml.Node
}

// flow is a mapping on one line; keys whose value is nil are left out.
func flow(pairs ...pair) *yaml.Node {
	node := block(pairs...)
	node.Style = yaml.FlowStyle
	return node
}

// block is a mapping with a line for each key.
func block(pairs ...pair) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, each := range pairs {
		if each.value != nil {
			node.Content = append(node.Content, text(each.key), each.value)
		}
	}
	return node
}

func list(values ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Content: values}
}

func flowList(values ...*yaml.Node) *yaml.Node {
	node := list(values...)
	node.Style = yaml.FlowStyle
	return node
}

// step is one step, its fields on one line.
func step(kind string, fields ...pair) *yaml.Node { return block(pair{kind, flow(fields...)}) }

// literal is a value that was read as a scenario expects it. It tells whether there is one.
func literal(value any) (*yaml.Node, bool) {
	switch v := value.(type) {
	case nil:
		return bare("null"), true
	case bool:
		return bare(strconv.FormatBool(v)), true
	case int64:
		return number(v), true
	case int32:
		return number(int64(v)), true
	case int16:
		return number(int64(v)), true
	case float64:
		return bare(strconv.FormatFloat(v, 'f', -1, 64)), !math.IsInf(v, 0) && !math.IsNaN(v)
	case check.Number:
		_, err := strconv.ParseFloat(string(v), 64)
		return bare(string(v)), err == nil && string(v) != "NaN"
	case string:
		return text(v), true
	case []any:
		return literals(v)
	default:
		return nil, false
	}
}

func literals(values []any) (*yaml.Node, bool) {
	nodes := flowList()
	for _, value := range values {
		node, writable := literal(value)
		if !writable {
			return nil, false
		}
		nodes.Content = append(nodes.Content, node)
	}
	return nodes, true
}

// written is a mapping as the text of a file.
func written(root *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return nil, fmt.Errorf("write a scenario: %w", err)
	}
	return out.Bytes(), encoder.Close()
}
