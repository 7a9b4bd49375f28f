package scenario

import (
	"lostreply/harness/event"
	"lostreply/harness/strict"
)

// refusal is a refuse step with what was known when it was met: which workers had been started, and
// how often.
type refusal struct {
	step  *Refuse
	then  map[string]*lifeline
	ended map[string]bool
}

// refuse notes a refusal; whether anything can meet and end it is known when all steps are read.
func (c *scenarioChecker) refuse(step *Refuse) {
	c.system.checkDatabase(c.problems, step.At, step.Database)
	if names := c.system.EventNames(); !contains(names, step.Until.Event.Value) {
		c.problems.Addf(step.Until.Event.At, "%s",
			strict.Unknown("event", step.Until.Event.Value, names))
	}
	noted := refusal{step: step, then: map[string]*lifeline{}, ended: map[string]bool{}}
	for name, life := range c.timeline.lives {
		noted.then[name], noted.ended[name] = life, !life.alive
	}
	c.refusals = append(c.refusals, noted)
}

// finishRefusals reports refusals that no connection can meet, and those that nothing can end.
func (c *scenarioChecker) finishRefusals() {
	for _, noted := range c.refusals {
		worker, of := noted.step.Worker, noted.step.Of()
		if !c.canStillAct(noted, worker) {
			c.unreachable(worker, "no connection of it can meet this")
			continue
		}
		name := noted.step.Until.Event.Value
		switch {
		case of == worker && noted.then[worker.Value] == nil && c.needsDatabase(noted.step):
			c.problems.Addf(noted.step.Until.At, "nothing can end this: worker %s has no connection "+
				"yet, so its %s can't come while they are refused; name an event of another worker, "+
				"or exit", worker.Value, name)
		case of != worker && !c.canStillAct(noted, of):
			c.unreachable(of, "its "+name+" can't come")
		}
	}
}

// canStillAct tells whether a worker runs at a refusal or is started after it.
func (c *scenarioChecker) canStillAct(noted refusal, name strict.Text) bool {
	now := c.timeline.lives[name.Value]
	return now != nil && (now != noted.then[name.Value] || !noted.ended[name.Value])
}

func (c *scenarioChecker) unreachable(name strict.Text, so string) {
	if c.timeline.lives[name.Value] == nil {
		c.problems.Addf(name.At, "%s", strict.Unknown("worker", name.Value, c.timeline.names()))
		return
	}
	c.problems.Addf(name.At, "worker %s has ended by now and is not started again: %s",
		name.Value, so)
}

// needsDatabase tells whether the event that ends a refusal can come only through the database that
// is refused.
func (c *scenarioChecker) needsDatabase(step *Refuse) bool {
	refused := c.system.DatabaseOf(step.Database)
	if step.Until.Event.Value == event.CommitName {
		return c.system.OnlyDatabase() == refused
	}
	named, known := c.system.Events.Get(step.Until.Event.Value)
	return known && c.system.DatabaseOf(named.Database) == refused
}
