package scenario

import (
	"lostreply/harness/event"
	"lostreply/harness/strict"
)

// scheduledLives finds the lives of workers that schedule steps let go, and tells each of these
// steps which workers must come to their end by it: those that no later one names.
func scheduledLives(steps []Step) map[Life]bool {
	scheduled, last, lives := map[Life]bool{}, map[string]*Schedule{}, map[string]int{}
	finish := func(name string) {
		if step := last[name]; step != nil {
			step.Ends = append(step.Ends, name)
			delete(last, name)
		}
	}
	start := func(program strict.Text, as Names) {
		if len(as) == 0 {
			as = Names{program}
		}
		for _, name := range as.Values() {
			finish(name)
			lives[name]++
		}
	}
	var order []string
	for _, step := range steps {
		switch body := step.Body.(type) {
		case *Run:
			start(body.Program, body.As)
		case *Start:
			start(body.Program, body.As)
		case *Kill:
			delete(last, body.Worker.Value)
		case *Schedule:
			for _, name := range body.workers() {
				scheduled[Life{name, lives[name]}] = true
				last[name] = body
				order = append(order, name)
			}
		}
	}
	for _, name := range order {
		finish(name)
	}
	return scheduled
}

// schedule checks an order, and takes the workers that must end by it for ended.
func (c *scenarioChecker) schedule(step *Schedule) {
	if len(step.Order) == 0 && len(step.Rest) == 0 {
		c.problems.Addf(step.At, "schedule: say who goes on, as order, or as rest")
	}
	ended := map[string]bool{}
	for _, turn := range step.Order {
		c.scheduledTurn(turn)
		for _, worker := range turn.Worker {
			c.scheduledWorker(turn, worker, ended)
		}
	}
	for _, worker := range step.Rest {
		c.scheduledWorker(ScheduledTurn{After: strict.Text{Value: event.ExitName}}, worker, ended)
	}
	for _, name := range append(step.Rest.Values(), step.Ends...) {
		if life := c.timeline.lives[name]; life != nil {
			life.alive = false
		}
	}
}

func (c *scenarioChecker) scheduledWorker(
	turn ScheduledTurn, worker strict.Text, ended map[string]bool,
) {
	life := c.timeline.living(c.problems, worker)
	if life == nil {
		return
	}
	if ended[worker.Value] {
		c.problems.Addf(worker.At, "worker %s has come to its end earlier in this order", worker.Value)
	}
	ended[worker.Value] = turn.After.Value == event.ExitName
	for _, named := range []strict.Text{turn.Before, turn.After} {
		if named.Value != "" {
			c.reachable(&Hold{At: turn.At, Worker: worker, Event: named})
		}
	}
	if known, _ := c.system.Programs.Get(life.program); known.Ready != nil && known.Ready.Line == "" {
		c.problems.Addf(worker.At, "worker %s can't be scheduled: its program %s is ready by an "+
			"event, which waits for the schedule", worker.Value, life.program)
	}
}

// workers are the workers of a schedule, in its order.
func (s *Schedule) workers() []string {
	var names []string
	for _, turn := range s.Order {
		names = append(names, turn.Worker.Values()...)
	}
	return append(names, s.Rest.Values()...)
}

func (c *scenarioChecker) scheduledTurn(turn ScheduledTurn) {
	if turn.Before.Value != "" && turn.After.Value != "" {
		c.problems.Addf(turn.At, "before and after: give one of them")
	}
	if turn.Before.Value == event.ExitName {
		c.problems.Addf(turn.Before.At, "an exit can't be waited before: leave it out for one exchange, "+
			"or say after: exit")
	}
	c.named(turn.Before)
	c.named(turn.After)
}

// named reports an event that the system does not have, where one is given.
func (c *scenarioChecker) named(name strict.Text) {
	if names := c.system.EventNames(); name.Value != "" && !contains(names, name.Value) {
		c.problems.Addf(name.At, "%s", strict.Unknown("event", name.Value, names))
	}
}

// notScheduled reports a step that does something to a worker that only its order may let go.
func (c *scenarioChecker) notScheduled(name strict.Text, step string) {
	if life := c.timeline.lives[name.Value]; life != nil && life.scheduled && life.alive {
		c.problems.Addf(name.At, "worker %s is scheduled, so %s is not for it: its order says how far "+
			"it goes (and kill ends it)", name.Value, step)
	}
}
