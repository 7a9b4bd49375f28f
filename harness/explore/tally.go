package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"lostreply/harness/check"
)

// tally sums the outcomes of a campaign up, one after the other in the order of the plan. It holds
// findings and doubts, and of the outcomes those that are to be written down.
type tally struct {
	campaign *campaign
	report   Report
	sum      hash.Hash
	found    map[string]int // the place of a finding in the report, by its key
	shows    []outcome      // those that show something that no earlier one does
	blocked  int            // runs in which the others only waited for the one that was held
}

func (c *campaign) newTally() *tally {
	s := c.workload.scenario
	return &tally{
		campaign: c, sum: sha256.New(), found: map[string]int{},
		report: Report{
			Scenario: s.Name(), Title: s.Title, System: s.Under.Name.Value, Variant: c.workload.variant,
			Notes: c.survey.notes, Inert: !c.elsewhere(), Elsewhere: c.elsewhere(),
		},
	}
}

// add takes one outcome.
func (t *tally) add(o outcome) {
	fmt.Fprintln(t.sum, o.line()) // a hash takes everything
	if o.Blocked {
		t.blocked++
		return
	}
	t.report.Explored++
	t.report.Inert = t.report.Inert && !o.Recovered && len(o.schedule.faults) > 0
	switch o.Verdict {
	case check.Fail:
		t.report.Violations++
		t.violation(o)
	case check.Inconclusive:
		t.report.Inconclusive++
		t.report.Doubts = append(t.report.Doubts, o.ID+":\n"+strings.Join(o.Reasons, "\n"))
	}
}

// finished takes what a planner has to say at its end.
func (t *tally) finished(p planner) {
	total, pruned := p.counted()
	t.report.Total += total
	t.report.Pruned += pruned
	t.report.Notes = append(t.report.Notes, p.notes()...)
}

// damage takes what a run without any fault came to, where an invariant does not hold in it.
func (t *tally) damage(o outcome) {
	t.report.Total++
	t.report.Notes = append(t.report.Notes,
		"an invariant does not hold without any fault: it is not judged after one")
	t.add(o)
}

// whole is the report, once everything has been added.
func (t *tally) whole() Report {
	if t.blocked > 0 {
		t.report.Pruned += t.blocked
		t.report.Notes = append(t.report.Notes, fmt.Sprintf("%d runs came to nothing: while a worker "+
			"was held or stopped, the others waited for its locks", t.blocked))
	}
	t.report.Inert = t.report.Inert && t.report.Violations == 0
	t.report.Outcome = hex.EncodeToString(t.sum.Sum(nil)[:8])
	return t.report
}

// violation adds what a run shows that no earlier one has.
func (t *tally) violation(o outcome) {
	name := o.schedule.name(t.campaign.workload.scenario.FileName())
	isNew := false
	told := map[string]bool{}
	for _, each := range o.Witnesses {
		finding := Finding{
			Scenario: t.report.Scenario, Check: each.Check, Act: o.schedule.acts(),
			Event: o.schedule.events(), Witness: each.Statement, At: o.schedule.places(),
			File: t.campaign.fileOf(name + ".yaml"), Liveness: each.Liveness,
		}
		place, known := t.foundBefore(finding, o.schedule)
		switch {
		case told[finding.Key()]:
		case known:
			t.report.Findings[place].Also++
		default:
			isNew = true
			t.found[finding.Key()] = len(t.report.Findings)
			t.report.Findings = append(t.report.Findings, finding)
		}
		told[finding.Key()] = true
	}
	if isNew {
		t.shows = append(t.shows, o)
	}
}

// foundBefore is the place of a finding that is known, or that one of the schedule's faults shows
// alone.
func (t *tally) foundBefore(f Finding, s schedule) (int, bool) {
	place, known := t.found[f.Key()]
	for _, each := range s.faults {
		if known {
			break
		}
		f.Act, f.Event = each.act, each.address.Event
		place, known = t.found[f.Key()]
	}
	return place, known
}
