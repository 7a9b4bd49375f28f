package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
)

// sequel is what an outcome keeps of a run for schedules with one fault more. It is empty where
// there will be none.
type sequel struct {
	// Places are those after the last fault.
	Places []place `json:"places,omitempty"`
	// Untouched tells that every worker but the faulted one did what it does without a fault, and was
	// answered so: a fault more in one of these shows what it shows alone.
	Untouched bool `json:"untouched,omitempty"`
}

// sequelOf looks for what comes after the last fault of a schedule.
func (c *campaign) sequelOf(s schedule, r result.Result) sequel {
	if len(s.faults) == 0 || len(s.faults) >= c.options.most() {
		return sequel{}
	}
	last := s.faults[len(s.faults)-1].address
	var found sequel
	at := 0
	for _, e := range r.History {
		if e.Worker == last.Worker && e.Incarnation == last.Incarnation && e.Phase == last.Phase &&
			e.Has(last.Event) && e.Nth.Of(last.Event) == last.Nth {
			at = e.Sequence
		}
	}
	for _, each := range placesOf(r.History) {
		if at > 0 && each.at > at && !c.workload.isPoller(each.Worker) {
			found.Places = append(found.Places, each)
		}
	}
	if len(c.workload.pollers) > 0 {
		return found // how often they looked in vain is nobody's choice
	}
	doings := doingsOf(r.History)
	delete(doings, last.Worker)
	without := maps.Clone(c.survey.doings)
	delete(without, last.Worker)
	found.Untouched = maps.Equal(doings, without)
	return found
}

// tells whether a fault more at a place would show nothing new: what went wrong has, and what was
// left untouched is that of a shorter schedule.
func (o outcome) tells(p place) bool {
	last := o.schedule.faults[len(o.schedule.faults)-1].address
	return o.Verdict != check.Pass || o.Blocked || o.Untouched && p.Worker != last.Worker
}

// doingsOf are digests of the turns and calls of each worker, and of what the server said.
func doingsOf(history []event.Event) map[string]string {
	sums := map[string]hash.Hash{}
	for _, e := range history {
		if e.Kind == event.Exit {
			continue
		}
		if sums[e.Worker] == nil {
			sums[e.Worker] = sha256.New()
		}
		fmt.Fprintln(sums[e.Worker], e) // a hash takes everything
	}
	doings := map[string]string{}
	for worker, sum := range sums {
		doings[worker] = hex.EncodeToString(sum.Sum(nil)[:8])
	}
	return doings
}
