package scenario

import "lostreply/harness/strict"

const adviceDatabase = "Crash or restart the server of a database, or let its standby take over."

// DatabaseStep does something to a database's server; the scenario has that for itself.
type DatabaseStep struct {
	At   strict.Position `key:"-"`
	Name strict.Text     `key:"name" doc:"The database. Default: the only one."`
	Do   string          `key:"do,required" enum:"crash,restart,detach,promote" doc:"crash: SIGKILL to every process of it; restart: start it again (after an orderly stop, if it runs); promote: crash it, and let its standby take over (a database that is promoted has one from the beginning, which has what was acknowledged); detach: its standby gets nothing that comes after this step, so that a later promote loses it."`
}

// HasStandby tells whether a database of the scenario has a standby: a step promotes that.
func (s *Scenario) HasStandby(database string) bool {
	for _, step := range s.Steps {
		body, is := step.Body.(*DatabaseStep)
		if is && body.Do == "promote" && s.Under.DatabaseOf(body.Name) == database {
			return true
		}
	}
	return false
}

// standbys follows what the steps do to standbys: a database has one, until that has taken over.
type standbys struct {
	detached map[string]*DatabaseStep // not promoted yet
	promoted map[string]bool
}

// checkStandby refuses what can't be done to a standby, or would do nothing.
func (c *scenarioChecker) checkStandby(step *DatabaseStep) {
	name := c.system.DatabaseOf(step.Name)
	seen := &c.standbys
	if seen.detached == nil {
		seen.detached, seen.promoted = map[string]*DatabaseStep{}, map[string]bool{}
	}
	switch {
	case step.Do != "detach" && step.Do != "promote":
		return
	case seen.promoted[name]:
		c.problems.Addf(step.At, "%s: the standby of database %s has taken over by then, and there is "+
			"no other", step.Do, name)
	case step.Do == "promote":
		seen.promoted[name] = true
		delete(seen.detached, name)
	case seen.detached[name] != nil:
		c.problems.Addf(step.At, "detach: the standby of database %s is detached already", name)
	default:
		seen.detached[name] = step
	}
}

// finishStandbys refuses a detach that shows nothing.
func (c *scenarioChecker) finishStandbys() {
	for _, name := range c.system.Databases.Names() {
		if step := c.standbys.detached[name]; step != nil {
			c.problems.Addf(step.At, "detach: no later step promotes the standby of database %s, so "+
				"nothing can be seen of this: add `database: {name: %s, do: promote}`", name, name)
		}
	}
}
