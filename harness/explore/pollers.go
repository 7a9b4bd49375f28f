package explore

import (
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/event"
	"lostreply/harness/scenario"
)

// actOvertake is what is tried of workers that poll, and so never end: one is held past its lease,
// another like it goes on until it finds nothing more, and then the first goes on.
const actOvertake = "overtake"

// findPollers takes those workers for pollers of which the scenario waits until they find nothing:
// by name, the event by which they look.
func (w *workload) findPollers() {
	w.pollers = map[string]string{}
	for _, step := range w.scenario.Steps {
		if wait, is := step.Body.(*scenario.Wait); is && wait.Idle.Value != "" {
			for _, name := range wait.Worker.Values() {
				w.pollers[name] = wait.Idle.Value
			}
		}
	}
}

// polls is the event by which the workers of a launch look for work; empty when they end.
func (w *workload) polls(l launch) string {
	for _, name := range l.names {
		if looks := w.pollers[name]; looks != "" {
			return looks
		}
	}
	return ""
}

// isPoller tells whether a worker polls, or is another like one that does.
func (w *workload) isPoller(worker string) bool {
	return w.pollers[strings.TrimPrefix(worker, meanwhilePrefix)] != ""
}

// poll writes a launch of pollers, which go on until all else is done.
func (c *composer) poll(l launch, looks string) {
	c.begin(l)
	c.polling = append(c.polling, l.names...)
	for _, name := range l.names {
		c.looks[name] = looks
	}
}

// settle lets the pollers that were started go on until they find nothing more, through the fault
// of one of them, and ends them.
func (c *composer) settle() {
	var faults []fault
	for _, f := range c.pending {
		if f.act != actOvertake {
			faults = append(faults, f)
			continue
		}
		c.fault(f, actNamed(f.act))
	}
	c.pending = faults
	c.idle(c.polling)
	for _, name := range c.polling {
		c.add("kill", pair{"worker", text(name)})
	}
}

// overtaken lets another like a poller go on past the lease of what the poller is at.
func (c *composer) overtaken(worker string) {
	again := c.latest[worker]
	second := meanwhilePrefix + worker
	again.names = []string{second}
	c.begin(again)
	c.looks[second] = c.looks[worker]
	c.idle([]string{second})
	c.add("release", pair{"worker", text(worker)})
	c.polling = append(c.polling, second)
}

// idle moves the clocks, round after round, until workers find nothing more.
func (c *composer) idle(workers []string) {
	if len(workers) == 0 {
		return
	}
	for range c.script.rounds {
		c.advance()
		for _, name := range workers {
			c.add("wait", pair{"worker", text(name)},
				pair{"idle", text(c.looks[name])})
		}
	}
}

// atWork is a history without what pollers do in vain: how often they do is nobody's choice. What
// they ask for at work is numbered without it: at a request, nobody knows yet that it is in vain.
func (w *workload) atWork(history []event.Event) []event.Event {
	vain := map[int]bool{}
	for _, each := range exchanges(history) {
		if !w.isPoller(each.asked.Worker) || each.told != nil && !each.told.Idle {
			continue
		}
		vain[each.asked.Sequence] = true
		if each.told != nil {
			vain[each.told.Sequence] = true
		}
	}
	var kept []event.Event
	numbers := map[event.Address]int{}
	for _, e := range history {
		if vain[e.Sequence] {
			continue
		}
		if w.isPoller(e.Worker) && e.Kind == event.Turn && e.Phase == event.Request {
			e.Nth = slices.Clone(e.Nth)
			for i, number := range e.Nth {
				name := event.Address{Worker: e.Worker, Incarnation: e.Incarnation, Event: number.Name}
				numbers[name]++
				e.Nth[i].Nth = numbers[name]
			}
		}
		kept = append(kept, e)
	}
	return kept
}

// overtakes is the plan of workers that poll: each is overtaken at each of its calls, and once it
// has done what another can see, where it keeps nobody waiting. Elsewhere in a transaction the
// other would wait for the first's locks, and nobody would be overtaken.
type overtakes struct {
	batch         []schedule
	total, pruned int
}

// newOvertakes plans the places of pollers; the others are given back.
func newOvertakes(w *workload, places []place) (*overtakes, []place) {
	var o overtakes
	var others []place
	for _, each := range places {
		switch {
		case !w.isPoller(each.Worker):
			others = append(others, each)
		case each.Event == "" && !each.Matters: // such as a BEGIN before a look in vain
		case each.Event != "" && each.Matters && !each.Open &&
			(each.Kind == event.Call || each.Phase == event.Response):
			o.total++
			o.batch = append(o.batch, schedule{
				faults: []fault{{address: each.Address, act: actOvertake}}, share: len(o.batch),
			})
		default:
			o.total++
			o.pruned++
		}
	}
	return &o, others
}

func (o *overtakes) next([]outcome) []schedule {
	batch := o.batch
	o.batch = nil
	return batch
}

func (o *overtakes) counted() (total, pruned int) { return o.total, o.pruned }

func (o *overtakes) notes() []string { return nil }

// pollerAdvice says how a worker that does not end can be explored all the same.
func pollerAdvice(workers []string) string {
	if len(workers) == 0 {
		return ""
	}
	return fmt.Sprintf("\na worker that polls is explored by what it does until it finds nothing "+
		"more: name the event by which it looks for work, and end the scenario with\n"+
		"  - wait: {worker: %s, idle: EVENT}", workers[0])
}
