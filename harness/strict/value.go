package strict

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text is a text with its place in the file, for names that are looked up after decoding.
type Text struct {
	Value string
	At    Position
}

// String is the text alone.
func (t Text) String() string { return t.Value }

func (t *Text) decodeRuled(c *Context, node *yaml.Node, r rules) {
	t.At = c.PositionOf(node)
	if text, ok := c.text(node); ok {
		c.allowed(node, text, r) // taken even so: what is refused is not missing besides
		t.Value = text
	}
}

// Entry is one key of a mapping, with its place and its value.
type Entry[T any] struct {
	Name  string
	At    Position // The place of the key.
	Value T
}

// Map is a mapping that keeps the order and the places of its keys.
type Map[T any] struct {
	At      Position
	Entries []Entry[T]
}

// Get is the value of a key, and whether the key is there.
func (m Map[T]) Get(name string) (T, bool) {
	for _, entry := range m.Entries {
		if entry.Name == name {
			return entry.Value, true
		}
	}
	var none T
	return none, false
}

// Names are the keys, in the order of the file.
func (m Map[T]) Names() []string {
	names := make([]string, 0, len(m.Entries))
	for _, entry := range m.Entries {
		names = append(names, entry.Name)
	}
	return names
}

// Len is the number of keys.
func (m Map[T]) Len() int { return len(m.Entries) }

func (m *Map[T]) element() reflect.Type { return reflect.TypeFor[T]() }

func (m *Map[T]) decodeRuled(c *Context, node *yaml.Node, r rules) {
	m.At = c.PositionOf(node)
	pairs, _ := c.entries(node, r)
	for _, p := range pairs {
		entry := Entry[T]{Name: p.key.Value, At: c.PositionOf(p.key)}
		c.decodeRuled(p.value, &entry.Value, r.elements())
		m.Entries = append(m.Entries, entry)
	}
}

// Value is any literal: what a check expects, say.
type Value struct {
	At Position
	// Source is the exact text of a scalar, as in 1.50; of a quoted one, what the quotes hold.
	Source string
	// Data is nil, bool, int64, float64, string, []Value or Map[Value].
	Data any
}

// Given is whether the value was in the file at all: a null that is written is given.
func (v Value) Given() bool { return v.At != Position{} }

// Plain is the value without places: nil, bool, int64, float64, string, []any or map[string]any.
func (v Value) Plain() any {
	switch data := v.Data.(type) {
	case []Value:
		list := make([]any, 0, len(data))
		for _, item := range data {
			list = append(list, item.Plain())
		}
		return list
	case Map[Value]:
		mapping := make(map[string]any, len(data.Entries))
		for _, entry := range data.Entries {
			mapping[entry.Name] = entry.Value.Plain()
		}
		return mapping
	}
	return v.Data
}

// String writes the value on one line, as one would in a file; texts are quoted.
func (v Value) String() string {
	switch data := v.Data.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(data)
	case []Value:
		items := make([]string, 0, len(data))
		for _, item := range data {
			items = append(items, item.String())
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Map[Value]:
		items := make([]string, 0, len(data.Entries))
		for _, entry := range data.Entries {
			items = append(items, entry.Name+": "+entry.Value.String())
		}
		return "{" + strings.Join(items, ", ") + "}"
	case float64:
		return v.Source
	}
	return fmt.Sprint(v.Data)
}

const valueWanted = "a value"

func (v *Value) decodeRuled(c *Context, node *yaml.Node, r rules) {
	v.At = c.PositionOf(node)
	switch node.Kind {
	case yaml.SequenceNode:
		var list []Value
		c.decodeRuled(node, &list, rules{})
		v.Data = list
	case yaml.MappingNode:
		var mapping Map[Value]
		c.decodeRuled(node, &mapping, rules{})
		v.Data = mapping
	case yaml.ScalarNode:
		v.Source = node.Value
		v.Data = c.literal(node)
	default:
		c.expected(node, valueWanted, "")
	}
}

// literal reads a scalar as what it looks like. What YAML readers take for different things is
// refused: an expectation that means two things proves nothing.
func (c *Context) literal(node *yaml.Node) any {
	switch kindOf(node) {
	case textScalar:
		return node.Value
	case boolScalar:
		value, _ := c.bool(node)
		return value
	case wholeScalar:
		number, _ := c.whole(node, 64)
		return number
	case decimalScalar:
		number, _ := c.decimal(node)
		return number
	case nullScalar:
		return nil
	case emptyScalar:
		c.expected(node, valueWanted, `write null, or "" for empty text`)
	case yesNoScalar:
		c.expected(node, valueWanted, "quote it, or write true or false")
	case oddNumberScalar:
		c.expected(node, valueWanted, "quote it, or "+plainDigits)
	default:
		c.expected(node, valueWanted, "quote it")
	}
	return nil
}
