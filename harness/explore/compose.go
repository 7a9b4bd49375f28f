package explore

import (
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/event"
	"lostreply/harness/scenario"
)

// script is one run of a workload as a scenario: with or without a fault, some rounds of recovery,
// and what must then be seen.
type script struct {
	name, title string
	schedule    schedule
	// rounds is how often the clock is moved and each program of the recovery run.
	rounds  int
	advance time.Duration
	// faultless are the lives that ended with status 0 without a fault: before the fault they are
	// run as a reader would write it.
	faultless map[scenario.Life]bool
	checks    []*yaml.Node
}

// composer writes the steps of one run.
type composer struct {
	workload *workload
	script   script
	lives    map[string]int
	latest   map[string]launch // what started the current life of each worker
	pending  []fault           // those that have not been yet
	steps    []*yaml.Node
}

// compose writes the scenario of one run.
func (w *workload) compose(s script) ([]byte, error) {
	c := &composer{
		workload: w, script: s, lives: map[string]int{}, latest: map[string]launch{},
		pending: slices.Clone(s.schedule.faults),
	}
	for _, each := range w.items {
		switch {
		case each.step != nil:
			c.steps = append(c.steps, each.step)
		case each.launch != nil:
			c.launch(*each.launch)
		default:
			for _, name := range each.wait {
				c.end(name)
			}
		}
	}
	c.recover()
	var channels []pair
	for _, channel := range w.scenario.Under.Channels.Names() {
		channels = append(channels, pair{channel, flowList(flow(pair{"otherwise", text("any")}))})
	}
	var variant, script *yaml.Node
	if w.variant != "" {
		variant = text(w.variant)
	}
	if len(channels) > 0 {
		script = block(channels...)
	}
	return written(block(
		pair{"scenario", text(s.name)}, pair{"title", text(s.title)},
		pair{"system", text(w.scenario.Under.Name.Value)}, pair{"variant", variant},
		pair{"tags", flowList(text(scenario.FindingTag))},
		pair{"clock", w.clock}, pair{"deadline", w.deadline},
		pair{"channels", script}, pair{"steps", list(c.steps...)}, pair{"expect", list(s.checks...)},
	))
}

func (c *composer) add(kind string, fields ...pair) {
	c.steps = append(c.steps, step(kind, fields...))
}

// launch starts programs, and lets those that do not go on come to their end.
func (c *composer) launch(l launch) {
	plain := !l.goesOn && c.untouched()
	for _, name := range l.names {
		c.lives[name]++
		c.latest[name] = l
		life := scenario.Life{Worker: name, Incarnation: c.lives[name]}
		plain = plain && c.script.faultless[life] && c.hitting(name) < 0
	}
	if plain {
		c.add("run", l.fields()...)
		return
	}
	c.add("start", l.fields()...)
	if l.goesOn {
		return
	}
	for _, name := range l.names {
		c.end(name)
	}
}

// untouched tells that no fault has been yet.
func (c *composer) untouched() bool { return len(c.pending) == len(c.script.schedule.faults) }

// fields are those of a step that starts programs.
func (l launch) fields() []pair {
	as := flowList()
	for _, name := range l.names {
		as.Content = append(as.Content, text(name))
	}
	if len(l.names) == 1 {
		as = text(l.names[0])
	}
	if len(l.names) == 1 && l.names[0] == l.program {
		as = nil
	}
	return []pair{{"program", text(l.program)}, {"as", as}, {"args", l.args}}
}

// hitting is the first of the pending faults that is in the current life of a worker; below 0 when
// there is none.
func (c *composer) hitting(name string) int {
	return slices.IndexFunc(c.pending, func(f fault) bool {
		return f.address.Worker == name && f.address.Incarnation == c.lives[name]
	})
}

// end brings a worker to its end, whatever its exit status: through the faults of this life of it,
// and then once more from the start, if there was any.
func (c *composer) end(name string) {
	for c.hitting(name) >= 0 {
		ended := false
		for !ended && c.hitting(name) >= 0 {
			at := c.hitting(name)
			ended = c.fault(c.pending[at])
			c.pending = slices.Delete(c.pending, at, at+1)
		}
		if !ended {
			c.exit(name)
		}
		c.again(name)
	}
	c.exit(name)
}

// exit waits for the end of a worker. A hold takes it whatever the status is.
func (c *composer) exit(name string) {
	c.add("hold", pair{"worker", text(name)}, pair{"event", text(event.ExitName)})
	c.add("release", pair{"worker", text(name)})
}

// fault is the hold and the act. It tells whether the worker's life ends with it.
func (c *composer) fault(f fault) bool {
	name := f.address.Worker
	nth := number(int64(f.address.Nth))
	if f.address.Nth == 1 {
		nth = nil
	}
	c.add("hold", pair{"worker", text(name)}, pair{"event", text(f.address.Event)}, pair{"nth", nth},
		pair{"phase", text(string(f.address.Phase))})
	if f.act == actKill {
		c.add("kill", pair{"worker", text(name)})
		return true
	}
	c.add("sever", pair{"worker", text(name)})
	return false
}

// again starts the program of a worker once more.
func (c *composer) again(name string) {
	again := c.latest[name]
	again.names = []string{name}
	c.lives[name]++
	c.add("start", again.fields()...)
}

// recover moves the clocks and runs the recovery's programs, round after round.
func (c *composer) recover() {
	databases := c.workload.scenario.Under.Databases.Names()
	for range c.script.rounds {
		for _, database := range databases {
			var named *yaml.Node
			if len(databases) > 1 {
				named = text(database)
			}
			c.add("advance", pair{"database", named}, pair{"by", text(c.script.advance.String())})
		}
		for _, run := range c.workload.recovery.runs {
			c.add("run", run.fields()...)
		}
	}
}

// restCheck is the check of the fact by which the system is at rest.
func (w *workload) restCheck() *yaml.Node {
	fields := []pair{{"title", text(restTitle)}}
	for i := 0; i+1 < len(w.recovery.until.Content); i += 2 {
		key := w.recovery.until.Content[i].Value
		fields = append(fields, pair{key, w.recovery.until.Content[i+1]})
	}
	return step("check", fields...)
}

// restTitle is what the check of the system's rest is called.
const restTitle = "at rest after recovery"
