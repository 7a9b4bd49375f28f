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
}

func (c *campaign) newTally() *tally {
	s := c.workload.scenario
	return &tally{
		campaign: c, sum: sha256.New(), found: map[string]int{},
		report: Report{
			Scenario: s.Name(), Title: s.Title, System: s.Under.Name.Value, Variant: c.workload.variant,
			Notes: c.survey.notes, Inert: true,
		},
	}
}

// add takes one outcome.
func (t *tally) add(o outcome) {
	fmt.Fprintln(t.sum, o.line()) // a hash takes everything
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

// whole is the report, once everything has been added.
func (t *tally) whole() Report {
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
			File: t.campaign.fileOf(name + ".yaml"),
		}
		place, known := t.found[finding.Key()]
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
