package scenario

import (
	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// Names is one name or a list of names.
type Names []strict.Text

// DecodeStrict reads a text or a list of texts.
func (n *Names) DecodeStrict(d *strict.Context, node *yaml.Node) {
	if node.Kind == yaml.SequenceNode {
		d.Decode(node, (*[]strict.Text)(n))
		return
	}
	var one strict.Text
	d.Decode(node, &one)
	*n = Names{one}
}

// StrictSchema describes a text or a list of texts.
func (Names) StrictSchema(*strict.Generator) map[string]any { return oneOrMany() }

// Values are the names without their positions.
func (n Names) Values() []string {
	values := make([]string, len(n))
	for i, name := range n {
		values[i] = name.Value
	}
	return values
}

// Strings is one text or a list of texts.
type Strings []string

// DecodeStrict reads a text or a list of texts.
func (s *Strings) DecodeStrict(d *strict.Context, node *yaml.Node) {
	if node.Kind == yaml.SequenceNode {
		d.Decode(node, (*[]string)(s))
		return
	}
	var one string
	d.Decode(node, &one)
	*s = Strings{one}
}

// StrictSchema describes a text or a list of texts.
func (Strings) StrictSchema(*strict.Generator) map[string]any { return oneOrMany() }

func oneOrMany() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{"oneOf": []any{
		text, map[string]any{"type": "array", "items": text, "minItems": 1},
	}}
}
