package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"lostreply/harness/check"
	"lostreply/harness/report"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
)

// repeats gathers the runs of each scenario that is run several times, and judges whether they all
// came to the same: the same checks with the same values, and the same named events.
type repeats struct {
	times int
	show  func(result.Result)

	seen                int
	took                time.Duration   // all of them together
	distinct            []result.Result // one for each evidence, in order
	outcomes, histories map[string]bool
}

// spread is each scenario so many times, one after the other.
func spread(scenarios []*scenario.Scenario, times int) []*scenario.Scenario {
	var all []*scenario.Scenario
	for _, each := range scenarios {
		for range times {
			all = append(all, each)
		}
	}
	return all
}

// take adds a run. Runs of one scenario come one after the other.
func (r *repeats) take(one result.Result) {
	if r.times <= 1 {
		r.show(one)
		return
	}
	if r.seen == 0 {
		r.distinct, r.took = nil, 0
		r.outcomes, r.histories = map[string]bool{}, map[string]bool{}
	}
	r.seen++
	r.took += one.Duration
	outcome, history := split(report.Evidence(one))
	if !r.outcomes[outcome] || !r.histories[history] {
		r.distinct = append(r.distinct, one)
	}
	r.outcomes[outcome], r.histories[history] = true, true
	if r.seen == r.times {
		r.conclude()
	}
}

// conclude shows each way in which the scenario came out, once, and judges that there is only one.
func (r *repeats) conclude() {
	if r.seen == 0 {
		return
	}
	first := r.distinct[0]
	first.Attempts, first.Duration = r.seen, r.took
	if first.Skipped == "" {
		first.Entries = append(append([]result.Entry{}, first.Entries...), r.judgement(first)...)
	}
	r.show(first)
	for _, other := range r.distinct[1:] {
		r.show(other)
	}
	r.seen = 0
}

func (r *repeats) judgement(first result.Result) []result.Entry {
	tally := func(runs, outcomes, histories int) string {
		return fmt.Sprintf("repeat=%d outcomes=%d histories=%d", runs, outcomes, histories)
	}
	line := check.Line{
		Verdict: check.Pass, Name: "every run the same", Expected: tally(r.times, 1, 1),
		Actual: tally(r.seen, len(r.outcomes), len(r.histories)),
	}
	if line.Expected != line.Actual {
		line.Verdict = check.Fail
		for _, other := range r.distinct[1:] {
			line.Difference = append(line.Difference,
				report.Difference(report.Evidence(first), report.Evidence(other))...)
		}
	}
	_, history := split(report.Evidence(first))
	sum := sha256.Sum256([]byte(history))
	return []result.Entry{
		{Kind: result.Note, Text: "history " + hex.EncodeToString(sum[:6])},
		{Kind: result.Check, Line: line, At: first.File, After: len(first.History)},
	}
}

// split parts an evidence into its judgements and its events.
func split(evidence []byte) (outcome, history string) {
	var judged, events strings.Builder
	for _, line := range strings.SplitAfter(string(evidence), "\n") {
		word := strings.TrimSpace(line)
		if strings.HasPrefix(word, "events ") || strings.HasPrefix(word, "held ") {
			events.WriteString(line)
		} else {
			judged.WriteString(line)
		}
	}
	return judged.String(), events.String()
}
