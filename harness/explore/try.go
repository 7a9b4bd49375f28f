package explore

import (
	"context"
	"fmt"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
)

// outcome is what one fault came to.
type outcome struct {
	fault     fault
	tried     bool
	verdict   check.Verdict
	witnesses []witness
	reasons   []string // why it proves nothing
	// rounds of recovery were run; recovered tells that something was written in them.
	rounds    int
	recovered bool
}

// witness is a check that did not hold.
type witness struct{ check, statement string }

// try runs one fault. Where the first number of rounds leaves something due, it is run again with
// more: what counts is the last run.
func (c *campaign) try(ctx context.Context, f fault) (outcome, error) {
	var last outcome
	for _, times := range rounds() {
		name := faultName(c.workload.scenario.ID.Value, f)
		source, err := c.compose(f, name, f.String(), times)
		if err != nil {
			return outcome{}, err
		}
		loaded, err := scenario.LoadText(c.fileOf(name), source, c.workload.scenario.Under)
		if err != nil {
			return outcome{}, refused(c.workload.scenario, "%v", err)
		}
		r := run.One(ctx, c.lab, loaded)
		if ctx.Err() != nil {
			return outcome{}, context.Cause(ctx)
		}
		last = judge(f, r)
		last.rounds = times
		if !last.restless() {
			break
		}
	}
	return last, nil
}

func (c *campaign) compose(f fault, name, title string, times int) ([]byte, error) {
	return c.workload.compose(script{
		name: name, title: title, fault: &f, rounds: times, advance: c.options.Advance,
		faultless: c.survey.faultless, checks: c.survey.checks,
	})
}

// judge takes from a result what an exploration needs of it.
func judge(f fault, r result.Result) outcome {
	o := outcome{fault: f, tried: true, verdict: r.Verdict, recovered: recovered(f, r.History)}
	for _, line := range r.Lines() {
		if line.Verdict == check.Fail {
			o.witnesses = append(o.witnesses, witness{line.Name, line.Statement()})
		}
	}
	if r.Verdict == check.Inconclusive {
		o.reasons = reasons(r)
	}
	return o
}

// restless tells whether something was still due at the end.
func (o outcome) restless() bool {
	for _, each := range o.witnesses {
		if strings.HasPrefix(each.check, restTitle) {
			return true
		}
	}
	return false
}

// recovered tells whether anything was written after the fault, by the programs of the recovery or
// by the faulted one, started once more.
func recovered(f fault, history []event.Event) bool {
	for _, each := range exchanges(history) {
		e := each.asked
		again := e.Worker == f.address.Worker && e.Incarnation == f.address.Incarnation+1
		if !again && !strings.HasPrefix(e.Worker, recoveryPrefix) {
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
	line := fmt.Sprintf("%d %s %s %s", o.fault.number, o.fault.act, o.fault.address, o.verdict)
	for _, each := range o.witnesses {
		line += "\n  " + normal.Text(each.statement)
	}
	return line
}
