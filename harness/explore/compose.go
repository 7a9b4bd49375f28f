package explore

import (
	"fmt"
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
	fault       *fault
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
	over     bool // the fault has been
	steps    []*yaml.Node
}

// compose writes the scenario of one run.
func (w *workload) compose(s script) ([]byte, error) {
	c := &composer{workload: w, script: s, lives: map[string]int{}}
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
	plain := !l.goesOn && !c.over
	for _, name := range l.names {
		c.lives[name]++
		life := scenario.Life{Worker: name, Incarnation: c.lives[name]}
		plain = plain && c.script.faultless[life] && !c.hits(name)
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

// hits tells whether the fault is in the current life of a worker.
func (c *composer) hits(name string) bool {
	return c.script.fault != nil && !c.over && c.script.fault.address.Worker == name &&
		c.script.fault.address.Incarnation == c.lives[name]
}

// end brings a worker to its end, whatever its exit status: through the fault, and then once more
// from the start, when the fault is in this life of it.
func (c *composer) end(name string) {
	if c.hits(name) {
		c.faulted(name)
	}
	c.exit(name)
}

// exit waits for the end of a worker. A hold takes it whatever the status is.
func (c *composer) exit(name string) {
	c.add("hold", pair{"worker", text(name)}, pair{"event", text(event.ExitName)})
	c.add("release", pair{"worker", text(name)})
}

// faulted is the hold, the act, and the start of the same program once more.
func (c *composer) faulted(name string) {
	at := c.script.fault.address
	nth := number(int64(at.Nth))
	if at.Nth == 1 {
		nth = nil
	}
	c.add("hold", pair{"worker", text(name)}, pair{"event", text(at.Event)}, pair{"nth", nth},
		pair{"phase", text(string(at.Phase))})
	if c.script.fault.act == actKill {
		c.add("kill", pair{"worker", text(name)})
	} else {
		c.add("sever", pair{"worker", text(name)})
		c.exit(name)
	}
	c.over = true
	again := c.launchOf(name)
	again.names = []string{name}
	c.lives[name]++
	c.add("start", again.fields()...)
}

// launchOf is what started the current life of a worker.
func (c *composer) launchOf(name string) launch {
	life := 0
	for _, each := range c.workload.items {
		if each.launch != nil && slices.Contains(each.launch.names, name) {
			if life++; life == c.script.fault.address.Incarnation {
				return *each.launch
			}
		}
	}
	return launch{program: name}
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

// faultName is a fault as a file is called.
func faultName(of string, f fault) string {
	return fmt.Sprintf("%s-%s-%s.%d-%s-%d-%s", of, f.act, f.address.Worker, f.address.Incarnation,
		f.address.Event, f.address.Nth, f.address.Phase)
}
