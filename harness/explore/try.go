package explore

import (
	"context"
	"fmt"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/explore/interleaving"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
)

// outcome is what one schedule came to. It is small: some hundred bytes, never the history.
type outcome struct {
	// ID is that of the schedule.
	ID        string        `json:"id"`
	Verdict   check.Verdict `json:"verdict"`
	Witnesses []witness     `json:"witnesses,omitempty"`
	// Reasons are why it proves nothing.
	Reasons []string `json:"reasons,omitempty"`
	// Rounds of recovery were run; Recovered tells that something was written in them.
	Rounds    int  `json:"rounds"`
	Recovered bool `json:"recovered"`
	// Run are the exchanges of the group whose order was tried.
	Run []interleaving.Step `json:"run,omitempty"`
	// Hung is the life whose end did not come, if one did not. Blocked tells that the others waited
	// for one that was held, so that nothing came of the schedule.
	Hung    scenario.Life `json:"hung,omitzero"`
	Blocked bool          `json:"blocked,omitempty"`

	sequel
	schedule schedule
}

// witness is a check that did not hold.
type witness struct {
	Check     string `json:"check"`
	Statement string `json:"statement"`
	// Liveness tells that something does not come, rather than that something is wrong.
	Liveness bool `json:"liveness,omitempty"`
}

// try runs one schedule. Where the first number of rounds leaves something due, it is run again
// with more: what counts is the last run.
func (c *campaign) try(ctx context.Context, s schedule) (outcome, error) {
	var last outcome
	for _, times := range rounds() {
		name := s.name(c.workload.scenario.FileName())
		source, err := c.compose(s, name, s.String(), times, scenario.Life{})
		if err != nil {
			return outcome{}, err
		}
		loaded, err := scenario.LoadText(c.fileOf(name+".yaml"), source, c.workload.scenario.Under)
		if err != nil {
			return outcome{}, refused(c.workload.scenario, "%v", err)
		}
		r := run.One(ctx, c.lab, loaded)
		if ctx.Err() != nil {
			return outcome{}, context.Cause(ctx)
		}
		last = c.judge(s, r)
		last.Rounds = times
		if !last.restless() {
			break
		}
	}
	return last, nil
}

// compose writes a schedule as a scenario. hung is the life whose end did not come in its run, if
// one did not.
func (c *campaign) compose(
	s schedule, name, title string, times int, hung scenario.Life,
) ([]byte, error) {
	var damage outcome
	if !s.plain() {
		damage = c.survey.damage
	}
	return c.workload.compose(script{
		damage: damage,
		name:   name, title: title, schedule: s, rounds: times, hung: hung, advance: c.options.Advance,
		faultless: c.survey.faultless, checks: c.survey.checks,
	})
}

// recovered tells whether anything was written after the faults, by the programs of the recovery or
// by a faulted one, started once more.
func recovered(s schedule, history []event.Event) bool {
	lives := map[string]int{} // the latest life that met a fault
	for _, f := range s.faults {
		lives[f.address.Worker] = max(lives[f.address.Worker], f.address.Incarnation)
	}
	for _, each := range exchanges(history) {
		e := each.asked
		life, faulted := lives[e.Worker]
		again := faulted && e.Incarnation > life
		if !again && (faulted || !recovers(e.Worker)) {
			continue
		}
		if e.Kind == event.Turn && mayWrite(each) {
			return true
		}
	}
	return false
}

// line is the outcome as the hash of an exploration takes it.
func (o outcome) line() string {
	normal := event.NewNormaliser()
	line := fmt.Sprintf("%s %s", o.ID, o.Verdict)
	for _, each := range o.Witnesses {
		line += "\n  " + normal.Text(each.Statement)
	}
	return line
}

// recovers tells whether a worker is one of a recovery's.
func recovers(worker string) bool {
	return strings.HasPrefix(worker, recoveryPrefix) || strings.HasPrefix(worker, meanwhilePrefix)
}
