package interleaving_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"lostreply/harness/explore/interleaving"
)

// op is one exchange of a worker of the model: "begin", "read", "write", "commit", "call".
type op struct {
	kind, place string
	row         int
	// unless skips it when the worker's last value is odd: what a worker does next may depend on
	// what it has seen.
	unless bool
}

// rowState is a row of a database that keeps to READ COMMITTED.
type rowState struct {
	committed, written int
	owner              string // who has written and not committed
}

type modelWorker struct {
	ops     []op
	at      int
	value   int
	inside  bool
	wrote   map[string]bool
	sent    int // the place of a step that waits for its answer; -1 for none
	wants   string
	seen    []string
	aborted bool
}

// world runs some workers on some databases and channels, in an order.
type world struct {
	names    []string
	workers  map[string]*modelWorker
	rows     map[string]*rowState
	queue    []string // who waits for locks, in the order of arrival
	journals map[string][]string
	run      []interleaving.Step
}

func newWorld(programs map[string][]op) *world {
	w := &world{
		workers: map[string]*modelWorker{}, rows: map[string]*rowState{},
		journals: map[string][]string{},
	}
	for name, ops := range programs {
		w.names = append(w.names, name)
		w.workers[name] = &modelWorker{ops: ops, wrote: map[string]bool{}, sent: -1}
	}
	slices.Sort(w.names)
	return w
}

func (w *world) row(o op) (string, *rowState) {
	key := fmt.Sprintf("%s/%d", o.place, o.row)
	if w.rows[key] == nil {
		w.rows[key] = &rowState{}
	}
	return key, w.rows[key]
}

// pending is what a worker would do next; nil when it waits or has ended.
func (w *world) pending(name string) *op {
	own := w.workers[name]
	if own.sent >= 0 || own.aborted {
		return nil
	}
	for own.at < len(own.ops) && own.ops[own.at].unless && own.value%2 == 1 {
		own.at++
	}
	if own.at == len(own.ops) {
		return nil
	}
	return &own.ops[own.at]
}

func (w *world) able() []string {
	var able []string
	for _, name := range w.names {
		if w.pending(name) != nil {
			able = append(able, name)
		}
	}
	return able
}

func (w *world) step(name string) {
	o, own, place := *w.pending(name), w.workers[name], len(w.run)
	own.at++
	w.run = append(w.run, interleaving.Step{
		Worker: name, Answered: place, Label: fmt.Sprint(o),
		Accesses: []interleaving.Access{{Place: o.place, Effect: own.effect(o)}},
	})
	switch o.kind {
	case "begin":
		own.inside = true
	case "read":
		_, row := w.row(o)
		own.value = row.committed
		if row.owner == name {
			own.value = row.written
		}
	case "call":
		w.journals[o.place] = append(w.journals[o.place], fmt.Sprint(name, own.value))
		own.value = len(w.journals[o.place])
	case "commit":
		w.end(name, true)
	case "write":
		w.write(name, o, place)
	}
	own.seen = append(own.seen, fmt.Sprint(own.value))
	w.wake(place)
}

func (m *modelWorker) effect(o op) interleaving.Effect {
	switch {
	case o.kind == "begin":
		return interleaving.Begin
	case o.kind == "read":
		return interleaving.Read
	case o.kind == "call":
		return interleaving.Anything
	case o.kind == "write" && m.inside:
		return interleaving.Write
	case o.kind == "commit" && len(m.wrote) == 0:
		return interleaving.Close
	default:
		return interleaving.Publish
	}
}

// write waits where another has the row. Who closes a circle of waiting workers is ended.
func (w *world) write(name string, o op, place int) {
	key, row := w.row(o)
	own := w.workers[name]
	if row.owner != "" && row.owner != name {
		own.wants = key
		for at := row.owner; at != ""; at = w.blocker(at) {
			if at == name {
				own.aborted, own.wants = true, ""
				w.end(name, false)
				return
			}
		}
		own.sent = place
		w.queue = append(w.queue, name)
		return
	}
	row.written, row.owner = (w.value(name, row)+own.value)*3+int(name[0]), name
	own.wrote[key] = true
	if !own.inside {
		w.end(name, true)
	}
}

func (w *world) value(name string, row *rowState) int {
	if row.owner == name {
		return row.written
	}
	return row.committed
}

func (w *world) blocker(name string) string {
	if wants := w.workers[name].wants; wants != "" {
		return w.rows[wants].owner
	}
	return ""
}

func (w *world) end(name string, commits bool) {
	own := w.workers[name]
	for key := range own.wrote {
		if commits {
			w.rows[key].committed = w.rows[key].written
		}
		w.rows[key].owner = ""
	}
	own.wrote, own.inside = map[string]bool{}, false
}

// wake lets those go on whose lock is free, and answers them with this step.
func (w *world) wake(place int) {
	for i := 0; i < len(w.queue); i++ {
		name := w.queue[i]
		own := w.workers[name]
		if w.rows[own.wants].owner != "" {
			continue
		}
		w.queue = slices.Delete(w.queue, i, i+1)
		w.run[own.sent].Answered = place
		own.sent, own.wants = -1, ""
		w.write(name, own.ops[own.at-1], place)
		own.seen = append(own.seen, fmt.Sprint(own.value))
		i = -1
	}
}

// follow runs an order, and then the rest to its end.
func (w *world) follow(order interleaving.Order) {
	for _, step := range order.Prefix {
		w.step(step.Worker)
	}
	for {
		able := w.able()
		chosen := slices.IndexFunc(order.Rest, func(name string) bool {
			return slices.Contains(able, name)
		})
		if chosen < 0 {
			break
		}
		w.step(order.Rest[chosen])
	}
	for _, name := range w.names {
		if own := w.workers[name]; own.sent >= 0 {
			w.run[own.sent].Answered = len(w.run)
		}
	}
}

// outcome is all that anybody can have seen.
func (w *world) outcome() string {
	var lines []string
	for key, row := range w.rows {
		lines = append(lines, fmt.Sprint(key, "=", row.committed))
	}
	for name, journal := range w.journals {
		lines = append(lines, fmt.Sprint(name, ":", journal))
	}
	for name, own := range w.workers {
		lines = append(lines, fmt.Sprint(name, " saw ", own.seen, own.aborted))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// everyOrder runs the programs in every order there is.
func everyOrder(programs map[string][]op, visit func(*world)) {
	var descend func(prefix []interleaving.Step)
	descend = func(prefix []interleaving.Step) {
		w := newWorld(programs)
		for _, step := range prefix {
			w.step(step.Worker)
		}
		able := w.able()
		if len(able) == 0 {
			w.follow(interleaving.Order{})
			visit(w)
		}
		for _, name := range able {
			descend(append(slices.Clone(prefix), interleaving.Step{Worker: name}))
		}
	}
	descend(nil)
}

func programs(t *rapid.T) map[string][]op {
	workers := rapid.IntRange(2, 3).Draw(t, "workers")
	longest := 6 - 3*(workers-2)
	drawn := map[string][]op{}
	for i := range workers {
		name := string(rune('a' + i))
		inside := false
		for range rapid.IntRange(1, longest).Draw(t, "length") {
			kinds := []string{"begin", "read", "write", "call"}
			if inside {
				kinds = []string{"read", "write", "write", "commit", "call"}
			}
			o := op{kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
			o.place = rapid.SampledFrom([]string{"d1", "d1", "d2"}).Draw(t, "database")
			switch o.kind {
			case "begin", "commit":
				o.place, inside = "d1", !inside
			case "call":
				o.place = rapid.SampledFrom([]string{"push", "sms"}).Draw(t, "channel")
			default:
				o.row = rapid.IntRange(0, 1).Draw(t, "row")
				if inside {
					o.place = "d1"
				}
				o.unless = o.kind == "write" && rapid.Bool().Draw(t, "unless")
			}
			drawn[name] = append(drawn[name], o)
		}
	}
	return drawn
}
