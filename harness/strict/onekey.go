package strict

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind is one form of a mapping that has exactly one key: the key, what it is for, and a pointer to
// a new body for it.
type Kind struct {
	Name string
	Doc  string
	New  func() any
}

// DecodeOneKey decodes a mapping with exactly one key out of the kinds, such as {run: {…}}. It
// returns the key, when it is a valid one, and the body, a pointer that the kind's New made; ok is
// false when there was a problem, which has been reported.
func DecodeOneKey(c *Context, node *yaml.Node, kinds []Kind) (name string, body any, ok bool) {
	names := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		names = append(names, kind.Name)
	}
	wanted := fmt.Sprintf("a mapping with one key out of %s", strings.Join(names, ", "))
	if node.Kind != yaml.MappingNode {
		advice := ""
		if node.Kind == yaml.ScalarNode && kindOf(node) == textScalar {
			if nearest, near := Nearest(node.Value, names); near {
				advice = fmt.Sprintf("did you mean {%s: …}?", nearest)
			}
		}
		c.expected(node, wanted, advice)
		return "", nil, false
	}
	pairs, _ := c.entries(node, rules{})
	if len(pairs) == 0 {
		c.Problem(node, "expected %s, got no key", wanted)
		return "", nil, false
	}
	ok = len(pairs) == 1
	for i, p := range pairs {
		kind, known := kindNamed(kinds, p.key.Value)
		switch {
		case !known:
			c.Problem(p.key, "%s", Unknown("key", p.key.Value, names))
			ok = false
			if nearest, near := Nearest(p.key.Value, names); near && len(pairs) == 1 {
				kind, _ = kindNamed(kinds, nearest) // read as what is meant: one slip is one problem
				name, body = kind.Name, kind.New()
				c.Decode(p.value, body)
			}
		case i > 0:
			c.Problem(p.key, "%s beside %s: expected one key; check the indentation",
				quote(p.key.Value), quote(pairs[0].key.Value))
		default:
			name, body = kind.Name, kind.New()
			ok = c.Decode(p.value, body) && ok
		}
	}
	return name, body, ok
}

func kindNamed(kinds []Kind, name string) (Kind, bool) {
	for _, kind := range kinds {
		if kind.Name == name {
			return kind, true
		}
	}
	return Kind{}, false
}

// ExactlyOne checks that exactly one of the keys is in a mapping and returns it, for a Decoder. For
// the fields of a struct the tag one:"group" does the same, in the schema too.
func ExactlyOne(c *Context, node *yaml.Node, keys ...string) (string, bool) {
	return c.exclusive(node, group{keys: keys, needed: true})
}
