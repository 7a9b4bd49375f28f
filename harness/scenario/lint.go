package scenario

import (
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/event"
	"lostreply/harness/strict"
)

// Lint finds what is valid but likely to be meant otherwise.
func Lint(s *Scenario) strict.Problems {
	if len(s.Failing) > 0 {
		return nil // the one that it is the twin of says it
	}
	var warnings Problems
	for _, channel := range s.Channels.Entries {
		for _, entry := range channel.Value {
			if entry.Reply != nil && entry.Reply.Answer.AfterMilli > 0 {
				warnings.Addf(entry.Reply.At, "channel %s: a delayed reply races the caller's timeout; "+
					"reply: hang never does", channel.Name)
			}
		}
	}
	for _, step := range s.AllSteps() {
		if hold, ok := step.Body.(*Hold); ok {
			s.lintCount(hold, &warnings)
		}
		check, ok := step.Body.(*Check)
		if !ok {
			continue
		}
		if expectsNothing(&check.Comparison) && check.Of.Value == "" && check.Subject.Fact.Value != "" {
			warnings.Addf(check.At, "no row is expected of fact %s: say with of: which rows must exist, "+
				"or the check holds for an empty database too", check.Subject.Fact.Value)
		}
	}
	warnings.Add(s.early)
	return warnings.list.Sorted()
}

// lintCount warns of a number that may depend on how often a poller looked in vain: at its request
// nobody knows yet whether a statement will find something, so each one counts. A matrix that tries
// one number after the other means none of them in particular.
func (s *Scenario) lintCount(hold *Hold, warnings *Problems) {
	_, named := s.Under.Events.Get(hold.Event.Value)
	if named && s.Cell == "" && hold.Nth > 1 && hold.Phase == string(event.Request) {
		warnings.Addf(hold.At, "nth %d of event %s at its request: of a worker that polls, those count "+
			"too that find nothing; hold the response, where they do not, or a commit", hold.Nth,
			hold.Event.Value)
	}
}

// early notes a check of a line that a worker may print later: it goes on, and nothing has waited
// for the line.
func (c *scenarioChecker) early(check *Check) {
	if check.Comparison.Line == nil || check.Within > 0 {
		return
	}
	for _, name := range check.Subject.Worker {
		life := c.timeline.lives[name.Value]
		if life == nil || !life.freely() {
			continue
		}
		program, _ := c.system.Programs.Get(life.program)
		waited := func(line string) bool { return strings.Contains(line, *check.Comparison.Line) }
		if check.Comparison.Count == nil && (slices.ContainsFunc(life.printed, waited) ||
			program.Ready != nil && waited(program.Ready.Line)) {
			continue
		}
		c.scenario.early = append(c.scenario.early, strict.Problem{At: check.At, Message: "worker " +
			name.Value + " still runs, and only what it has printed by now is looked at: wait for the " +
			"line before (wait: {worker: " + name.Value + ", line: …}) or give within"})
	}
}

// freely tells whether a worker goes on by itself now: it is not held, stopped or scheduled.
func (l *lifeline) freely() bool {
	return l.alive && !l.stopped && !l.over && !l.scheduled && len(l.held) == 0
}

// expectsNothing tells whether a comparison holds when there is nothing.
func expectsNothing(comparison *Comparison) bool {
	switch {
	case comparison.Count != nil:
		return fmt.Sprint(comparison.Count.Data) == "0"
	case comparison.Rows != nil:
		list, _ := comparison.Rows.Data.([]strict.Value)
		return len(list) == 0
	case comparison.Column != nil:
		return len(*comparison.Column) == 0
	case comparison.Set != nil:
		return len(*comparison.Set) == 0
	default:
		return false
	}
}
