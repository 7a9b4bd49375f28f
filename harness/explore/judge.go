package explore

import (
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// judge takes from a result what an exploration needs of it.
func (c *campaign) judge(s schedule, r result.Result) outcome {
	o := outcome{
		ID: s.id(), Verdict: r.Verdict, Recovered: recovered(s, r.History), schedule: s,
		sequel: c.sequelOf(s, r),
	}
	for _, line := range r.Lines() {
		if line.Verdict == check.Fail {
			o.Witnesses = append(o.Witnesses, witness{
				line.Name, line.Statement(), c.workload.liveness(line.Name),
			})
		}
	}
	if r.Verdict == check.Inconclusive {
		o.Reasons = reasons(r)
	}
	o.judgeEnd(r)
	if s.order != nil {
		o.follow(s.order, r)
	}
	return o
}

// judgeEnd makes a violation of an end that did not come. Where the others only wait for one that
// is held or stopped, nothing is wrong, and nothing proved: it holds a lock.
func (o *outcome) judgeEnd(r result.Result) {
	var hung string
	for _, entry := range r.Entries {
		if entry.Kind == result.Trouble && entry.Hung != "" {
			hung = entry.Hung
		}
	}
	if hung == "" {
		return
	}
	o.Reasons = nil
	if strings.HasPrefix(hung, meanwhilePrefix) {
		o.Verdict, o.Blocked = check.Pass, true
		return
	}
	var stands string
	for _, worker := range r.Workers {
		if worker.Name == hung {
			o.Hung = scenario.Life{Worker: hung, Incarnation: worker.Incarnation}
		}
		if worker.Ending == "" {
			stands += "; " + standing(worker, r.History)
		}
	}
	o.Verdict = check.Fail
	o.Witnesses = append(o.Witnesses, witness{Check: hung + endTitle, Liveness: true,
		Statement: fmt.Sprintf("%s (expected=any end, actual=still running)%s", hung+endTitle, stands)})
}

// standing tells where a worker that has not ended is: what it asked for last.
func standing(worker result.Worker, history []event.Event) string {
	asked := "nothing"
	for _, e := range history {
		if e.Worker == worker.Name && e.Incarnation == worker.Incarnation &&
			e.Phase == event.Request {
			e.Detail = ""
			asked = e.String()
		}
	}
	return "last asked for: " + asked
}

// breaksOnly tells whether the checks that do not hold are all of a kind.
func (o outcome) breaksOnly(kind func(check string) bool) bool {
	return o.Verdict == check.Fail && !slices.ContainsFunc(o.Witnesses, func(w witness) bool {
		return !kind(w.Check)
	})
}

// restless tells whether something was still due at the end.
func (o outcome) restless() bool {
	return slices.ContainsFunc(o.Witnesses, func(w witness) bool { return isOf(w.Check, restTitle) })
}
