package explore

import (
	"slices"
	"strings"
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
	// hung is the life whose end does not come, in a run that shows just that.
	hung scenario.Life
	// damage is what the workload comes to without any fault.
	damage outcome
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
	polling  []string          // pollers that run
	looks    map[string]string // by which event each of them looks for work
	steps    []*yaml.Node
	stuck    bool // the end that does not come has been waited for: nothing can follow
}

// compose writes the scenario of one run.
func (w *workload) compose(s script) ([]byte, error) {
	c := &composer{
		workload: w, script: s, lives: map[string]int{}, latest: map[string]launch{},
		pending: slices.Clone(s.schedule.faults), looks: map[string]string{},
	}
	for _, each := range w.items {
		switch {
		case each.step != nil:
			c.keep(each.step)
		case each.launch != nil:
			c.launch(*each.launch)
		case each.group != nil:
			c.keep(c.orderOf(each.group).step())
		default:
			for _, name := range each.wait {
				c.end(name)
			}
		}
	}
	c.settle()
	c.safety()
	c.recover()
	var channels []pair
	for _, channel := range w.scenario.Under.Channels.Names() {
		channels = append(channels, pair{channel, c.channel(channel)})
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
		pair{"channels", script}, pair{"steps", list(c.steps...)}, pair{"expect", c.expected()},
	))
}

func (c *composer) add(kind string, fields ...pair) { c.keep(step(kind, fields...)) }

// keep takes a step, unless none can follow any more.
func (c *composer) keep(step *yaml.Node) {
	if !c.stuck {
		c.steps = append(c.steps, step)
	}
}

// launch starts programs, and lets those that do not go on come to their end.
func (c *composer) launch(l launch) {
	if looks := c.workload.polls(l); looks != "" {
		c.poll(l, looks)
		return
	}
	plain := !l.goesOn && c.untouched()
	for _, name := range l.names {
		life := scenario.Life{Worker: name, Incarnation: c.lives[name] + 1}
		plain = plain && c.script.faultless[life] && c.hitting(life) < 0
	}
	if plain {
		c.runs(l)
		return
	}
	c.begin(l)
	if l.goesOn {
		return
	}
	for _, name := range l.names {
		c.end(name)
	}
}

// runs writes a launch whose workers must end well.
func (c *composer) runs(l launch) {
	c.live(l)
	for _, name := range l.names {
		if (scenario.Life{Worker: name, Incarnation: c.lives[name]}) == c.script.hung {
			c.add("start", l.fields()...)
			c.exit(name)
			return
		}
	}
	c.add("run", l.fields()...)
}

// begin writes a launch whose workers are brought to their end later.
func (c *composer) begin(l launch) {
	c.live(l)
	c.add("start", l.fields()...)
}

func (c *composer) live(l launch) {
	for _, name := range l.names {
		c.lives[name]++
		c.latest[name] = l
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

// hitting is the first of the pending faults that is in a life; below 0 when there is none.
func (c *composer) hitting(life scenario.Life) int {
	return slices.IndexFunc(c.pending, func(f fault) bool {
		return f.address.Worker == life.Worker && f.address.Incarnation == life.Incarnation
	})
}

// end brings a worker to its end, whatever its exit status: through the faults of this life of it,
// and then once more from the start, if one of them asks for it.
func (c *composer) end(name string) {
	for {
		again, ended := false, false
		for !ended {
			at := c.hitting(scenario.Life{Worker: name, Incarnation: c.lives[name]})
			if at < 0 {
				break
			}
			f := c.pending[at]
			c.pending = slices.Delete(c.pending, at, at+1)
			act := actNamed(f.act)
			again, ended = again || !act.spares, act.kills
			c.fault(f, act)
		}
		if !ended {
			c.exit(name)
		}
		if !again || strings.HasPrefix(name, meanwhilePrefix) {
			return
		}
		c.safety()
		latest := c.latest[name]
		latest.names = []string{name}
		c.begin(latest)
	}
}

// exit waits for the end of a worker. A hold takes it whatever the status is.
func (c *composer) exit(name string) {
	if (scenario.Life{Worker: name, Incarnation: c.lives[name]}) == c.script.hung {
		c.add("check", pair{"title", text(name + endTitle)}, pair{"worker", text(name)},
			pair{"ended", flow(pair{"any", bare("true")})},
			pair{"within", text(c.workload.scenario.Limit().String())})
		c.stuck = true
		return
	}
	c.add("hold", pair{"worker", text(name)}, pair{"event", text(event.ExitName)})
	c.add("release", pair{"worker", text(name)})
}

// fault is the hold and the act.
func (c *composer) fault(f fault, a act) {
	if a.steps == nil {
		return
	}
	nth := number(int64(f.address.Nth))
	if f.address.Nth == 1 {
		nth = nil
	}
	c.add("hold", pair{"worker", text(f.address.Worker)}, pair{"event", text(f.address.Event)},
		pair{"nth", nth}, pair{"phase", text(string(f.address.Phase))})
	a.steps(c, f.address.Worker)
}

// recover moves the clocks and runs the recovery's programs, round after round. A round that a
// fault is in is one more.
func (c *composer) recover() {
	for left := c.script.rounds; left > 0; left-- {
		pending := len(c.pending)
		c.advance()
		for _, run := range c.workload.recovery.runs {
			name := run.names[0]
			if c.hitting(scenario.Life{Worker: name, Incarnation: c.lives[name] + 1}) < 0 {
				c.runs(run)
				continue
			}
			c.begin(run)
			c.end(name)
		}
		if len(c.pending) < pending {
			left++
		}
	}
}

// advance moves the clock of each database.
func (c *composer) advance() {
	databases := c.workload.scenario.Under.Databases.Names()
	for _, database := range databases {
		var named *yaml.Node
		if len(databases) > 1 {
			named = text(database)
		}
		c.add("advance", pair{"database", named}, pair{"by", text(c.script.advance.String())})
	}
}

// restCheck is the check of the fact by which the system is at rest.
func (w *workload) restCheck() *yaml.Node { return titled(restTitle, w.recovery.until) }

// restTitle is what the check of the system's rest is called; endTitle ends the name of the check
// that a worker comes to its end.
const (
	restTitle = "at rest after recovery"
	endTitle  = " comes to its end"
)
