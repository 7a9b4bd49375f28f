package scenario

import (
	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

const adviceSchedule = "Let workers take turns in a given order."

// Schedule lets workers take turns in a given order. Every event of theirs waits, from their first
// instant on, until the order lets them go on; the last schedule step of a worker must let it come
// to its end. It is for programs that end by themselves. It has an order, or a rest, or both.
type Schedule struct {
	At    strict.Position `key:"-"`
	Order Turns           `key:"order" doc:"Who goes on, one after the other: a worker's name for one exchange, or a mapping that says how far."`
	Rest  Names           `key:"rest" doc:"Workers that then go on to their end, whatever its status is: at each exchange the first of them that waits for no lock."`
	Exit  int             `key:"exit" doc:"The exit status that each must end with, once it does. Default: 0."`

	// Ends are the workers whose last schedule step this is.
	Ends []string `key:"-"`
}

// ScheduledTurn is one entry of an order.
type ScheduledTurn struct {
	At     strict.Position `key:"-"`
	Worker Names           `key:"worker,required" doc:"The worker that goes on, while all others wait; or several, one after the other."`
	Before strict.Text     `key:"before" doc:"It goes on until it is about to send this event. Default: one exchange."`
	After  strict.Text     `key:"after" doc:"It goes on until this event is done and it has been told; exit is its end. Default: one exchange."`
}

// Turns is the order of a schedule.
type Turns []ScheduledTurn

// DecodeStrict reads a list of names and mappings.
func (t *Turns) DecodeStrict(d *strict.Context, node *yaml.Node) {
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		d.Problem(node, "expected a list of turns, such as [a, b, {worker: a, after: exit}]")
		return
	}
	for _, element := range node.Content {
		turn := ScheduledTurn{At: d.PositionOf(element)}
		if element.Kind == yaml.ScalarNode {
			var name strict.Text
			if d.Decode(element, &name) {
				turn.Worker = Names{name}
			}
		} else {
			d.Decode(element, &turn)
		}
		*t = append(*t, turn)
	}
}

// StrictSchema describes an order.
func (Turns) StrictSchema(g *strict.Generator) map[string]any {
	return map[string]any{"type": "array", "minItems": 1, "items": map[string]any{
		"oneOf": []any{map[string]any{"type": "string"}, g.Of(ScheduledTurn{})},
	}}
}
