package scenario

import (
	"sort"

	"lostreply/harness/event"
	"lostreply/harness/strict"
)

// Armed is a hold with the exact address at which it is armed before anything is started.
type Armed struct {
	Hold    *Hold
	Address event.Address
}

// timeline follows a scenario's steps without running them: which workers live, which events are
// held, which values are remembered.
type timeline struct {
	lives   map[string]*lifeline
	all     []*lifeline // every life there was, in order
	armed   []Armed
	taken   map[event.Address]bool
	checked map[string]bool
}

// lifeline is one life of a worker, as far as the steps tell.
type lifeline struct {
	worker      string
	program     string
	incarnation int
	alive       bool
	stopped     bool
	over        bool // its exit was held and let go: it has ended, and can still be waited for
	scheduled   bool // its order of events is that of schedule steps
	crowded     bool // it ran beside another that ran freely too
	holds       int  // how many of its events are held in all
	held        []*Hold
	printed     []string // parts of lines that have been waited for
}

func newTimeline() timeline {
	return timeline{
		lives: map[string]*lifeline{}, taken: map[event.Address]bool{}, checked: map[string]bool{},
	}
}

func (t *timeline) start(
	problems *Problems, name strict.Text, program string, goesOn bool,
) *lifeline {
	life := &lifeline{worker: name.Value, program: program, incarnation: 1, alive: goesOn}
	if earlier := t.lives[name.Value]; earlier != nil {
		if earlier.alive && !earlier.over {
			problems.Addf(name.At, "worker %s may still run: wait for it or kill it before it "+
				"starts again", name.Value)
		}
		life.incarnation = earlier.incarnation + 1
	}
	t.lives[name.Value] = life
	t.all = append(t.all, life)
	return life
}

// crowd marks the workers that run freely at one time: those named, which ran side by side to their
// end, or else those that go on now. Their order of events is nobody's choice.
func (t *timeline) crowd(sideBySide []string) {
	var free []*lifeline
	for _, life := range t.all {
		runs := life.alive && !life.stopped && len(life.held) == 0
		runs = runs || contains(sideBySide, life.worker)
		if t.lives[life.worker] == life && !life.scheduled && runs {
			free = append(free, life)
		}
	}
	if len(free) < 2 {
		return
	}
	for _, life := range free {
		life.crowded = true
	}
}

// Life names one life of a worker.
type Life struct {
	Worker      string
	Incarnation int
}

// order are all lives in the order of the steps that start them.
func (t *timeline) order() []Life {
	order := make([]Life, len(t.all))
	for i, life := range t.all {
		order[i] = Life{life.worker, life.incarnation}
	}
	return order
}

// competing are the lives whose order of events is nobody's choice: crowded, and held nowhere.
func (t *timeline) competing() map[Life]bool {
	competing := map[Life]bool{}
	for _, life := range t.all {
		if life.crowded && life.holds == 0 {
			competing[Life{life.worker, life.incarnation}] = true
		}
	}
	return competing
}

// known finds a worker that an earlier step has started.
func (t *timeline) known(problems *Problems, name strict.Text) *lifeline {
	life := t.lives[name.Value]
	if life == nil {
		problems.Addf(name.At, "%s (started by now)",
			strict.Unknown("worker", name.Value, t.names()))
	}
	return life
}

// living finds a worker that may still run.
func (t *timeline) living(problems *Problems, name strict.Text) *lifeline {
	life := t.known(problems, name)
	if life != nil && !life.alive {
		problems.Addf(name.At, "worker %s has ended by now", name.Value)
		return nil
	}
	return life
}

func (t *timeline) names() []string {
	names := make([]string, 0, len(t.lives))
	for name := range t.lives {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (t *timeline) wait(problems *Problems, name strict.Text, toItsEnd bool) {
	life := t.living(problems, name)
	if life == nil {
		return
	}
	if life.stopped {
		problems.Addf(name.At, "worker %s is stopped and can't go on: continue it first", name.Value)
	}
	if toItsEnd {
		life.alive = false
	}
}

func (t *timeline) hold(problems *Problems, hold *Hold) {
	life := t.known(problems, hold.Worker)
	if life == nil {
		return
	}
	nth, phase := hold.Nth, event.Phase(hold.Phase)
	if nth == 0 {
		nth = 1
	}
	if hold.Event.Value == event.ExitName {
		phase = event.Response
	}
	address := event.Address{
		Worker: hold.Worker.Value, Incarnation: life.incarnation,
		Event: hold.Event.Value, Nth: nth, Phase: phase,
	}
	if t.taken[address] {
		problems.Addf(hold.At, "%s is held twice: give nth", address)
		return
	}
	t.taken[address] = true
	t.armed = append(t.armed, Armed{Hold: hold, Address: address})
	life.held = append(life.held, hold)
	life.holds++
}

// act finds the hold that an act of a worker is on, and takes it off: a hold is acted on once.
func (t *timeline) act(problems *Problems, at strict.Position, worker, named strict.Text) *Hold {
	life := t.known(problems, worker)
	if life == nil {
		return nil
	}
	var match []int
	for i, hold := range life.held {
		if named.Value == "" || named.Value == hold.Event.Value {
			match = append(match, i)
		}
	}
	switch {
	case len(match) == 0:
		problems.Addf(at, "worker %s is not held%s: put a hold before the act",
			worker.Value, atEvent(named.Value))
		return nil
	case len(match) > 1:
		problems.Addf(at, "worker %s is held %d times: say which event this is about",
			worker.Value, len(match))
		return nil
	}
	hold := life.held[match[0]]
	life.held = append(life.held[:match[0]], life.held[match[0]+1:]...)
	return hold
}

func atEvent(name string) string {
	if name == "" {
		return ""
	}
	return " at " + name
}

func (t *timeline) kill(problems *Problems, name strict.Text) {
	if life := t.living(problems, name); life != nil {
		life.held, life.alive, life.stopped = nil, false, false
	}
}

func (t *timeline) stop(problems *Problems, name strict.Text) {
	if life := t.living(problems, name); life != nil {
		if life.stopped {
			problems.Addf(name.At, "worker %s is stopped already", name.Value)
		}
		life.held, life.stopped = nil, true
	}
}

func (t *timeline) resume(problems *Problems, name strict.Text) {
	if life := t.living(problems, name); life != nil {
		if !life.stopped {
			problems.Addf(name.At, "worker %s is not stopped", name.Value)
		}
		life.stopped = false
	}
}

func (t *timeline) remember(problems *Problems, check *Check) {
	if t.checked[check.As] {
		problems.Addf(check.At, "a second check is called %q", check.As)
	}
	t.checked[check.As] = true
}

func (t *timeline) recall(problems *Problems, name strict.Text) {
	if t.checked[name.Value] {
		return
	}
	names := make([]string, 0, len(t.checked))
	for known := range t.checked {
		names = append(names, known)
	}
	sort.Strings(names)
	problems.Addf(name.At, "%s (given by as: in an earlier check)",
		strict.Unknown("check", name.Value, names))
}

// finish reports holds that nothing acts on.
func (t *timeline) finish(problems *Problems) {
	for _, name := range t.names() {
		for _, hold := range t.lives[name].held {
			problems.Addf(hold.At, "nothing acts on this hold of worker %s at %s: follow it with "+
				"release, kill, stop, sever, blackhole or fail", name, hold.Event.Value)
		}
	}
}
