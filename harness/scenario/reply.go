package scenario

import (
	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// The silent replies of a channel.
const (
	Hang  = "hang"  // never an answer, until the caller goes away
	Reset = "reset" // the connection is reset
)

// DecodeStrict reads a reply: hang, reset, or a mapping that describes an answer.
func (r *Reply) DecodeStrict(d *strict.Context, node *yaml.Node) {
	r.At = d.PositionOf(node)
	if node.Kind != yaml.ScalarNode {
		d.Decode(node, &r.Answer)
		return
	}
	silences := []string{Hang, Reset}
	if !contains(silences, node.Value) {
		d.Problem(node, "%s; or a mapping such as {status: 200}",
			strict.Unknown("reply", node.Value, silences))
		return
	}
	r.Silence = node.Value
}

// StrictSchema describes a reply.
func (Reply) StrictSchema(g *strict.Generator) map[string]any {
	return map[string]any{"oneOf": []any{
		map[string]any{"type": "string", "enum": []string{Hang, Reset}}, g.Of(ScriptedAnswer{}),
	}}
}
