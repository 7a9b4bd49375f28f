package scenario

import (
	"slices"

	"lostreply/harness/event"
)

// reachable reports a hold whose event can't come, whatever its worker does: it would only be found
// out by waiting for it.
func (c *scenarioChecker) reachable(hold *Hold) {
	name, worker := hold.Event.Value, hold.Worker.Value
	if name == event.ExitName && hold.Nth > 1 {
		c.problems.Addf(hold.At, "a worker's life ends once: leave nth out")
	}
	life := c.timeline.lives[worker]
	if life == nil {
		return
	}
	program, known := c.system.Programs.Get(life.program)
	if !known || program.Databases == nil {
		return
	}
	uses := make([]string, len(*program.Databases))
	for i, database := range *program.Databases {
		uses[i] = database.Value
	}
	named, isNamed := c.system.Events.Get(name)
	database := c.system.DatabaseOf(named.Database)
	switch {
	case name == event.CommitName && len(uses) == 0:
		c.problems.Addf(hold.Event.At, "worker %s has no commit: its program %s uses no database",
			worker, life.program)
	case isNamed && database != "" && !slices.Contains(uses, database):
		c.problems.Addf(hold.Event.At, "event %s is of database %s, which the program %s of worker "+
			"%s does not use", name, database, life.program, worker)
	}
}
