package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"lostreply/harness/check"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
)

// shrinkBound is how many smaller ones of one finding are tried at most.
const shrinkBound = 60

// shrunk is a finding on its way to the smallest that shows it: the workload that is left, what
// that does without a fault, the faults and the rounds of recovery.
type shrunk struct {
	*campaign
	schedule  schedule
	rounds    int
	witnesses []witness
	// by names what is smaller than in the one before. What was tried once is not tried again.
	by string
}

// shrink makes a finding as small as it goes: fewer faults, fewer steps, fewer rounds of recovery,
// earlier events, smaller parameters, as long as the same checks fail in the same way and no other.
// What a smaller workload comes to without a fault is what is then expected. It depends on nothing
// but the finding.
func (c *campaign) shrink(ctx context.Context, o outcome) (shrunk, error) {
	best := shrunk{campaign: c, schedule: o.schedule, rounds: o.Rounds, witnesses: o.Witnesses}
	tried := map[string]bool{}
	for {
		smaller, found, err := best.next(ctx, tried)
		if err != nil || !found {
			return best, err
		}
		best = smaller
	}
}

// shrinks tells whether an outcome is made smaller: faults are, and what ends. An end that does not
// come would be waited for each time.
func (o outcome) shrinks() bool {
	return len(o.schedule.faults) > 0 && o.schedule.order == nil && o.Hung == scenario.Life{}
}

// next is the first smaller one that shows the same.
func (s shrunk) next(ctx context.Context, tried map[string]bool) (shrunk, bool, error) {
	for _, each := range s.smaller() {
		if tried[each.by] || len(tried) == shrinkBound {
			continue
		}
		tried[each.by] = true
		shows, err := each.shows(ctx, s)
		if err != nil || shows {
			return each, shows, err
		}
	}
	return s, false, nil
}

// shows tells whether the same checks fail as in a larger one. Of a smaller workload, what it does
// without a fault is recorded first; one that can't be explored shows nothing.
func (s *shrunk) shows(ctx context.Context, larger shrunk) (bool, error) {
	if s.workload != larger.workload {
		recorded, err := s.baseline(ctx)
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case errors.Is(err, ErrRefused):
			return false, nil
		case err != nil:
			return false, err
		case recorded.damage.Verdict == check.Fail:
			return false, nil
		}
		smaller := *s.campaign
		smaller.survey = recorded
		s.campaign = &smaller
	}
	source, err := s.compose(s.schedule, "smaller", "smaller", s.rounds, scenario.Life{})
	if err != nil {
		return false, err
	}
	loaded, err := scenario.LoadText(s.fileOf("smaller.yaml"), source, s.workload.scenario.Under)
	if err != nil {
		return false, nil //nolint:nilerr // what can't be loaded is no smaller one
	}
	r := run.One(ctx, s.lab, loaded)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	s.witnesses = s.judge(s.schedule, r).Witnesses
	return r.Verdict == check.Fail && sameKinds(s.witnesses, larger.witnesses), nil
}

// smaller are the next smaller ones, the most telling first.
func (s shrunk) smaller() []shrunk {
	var all []shrunk
	with := func(by string, faults []fault) {
		smaller := s
		smaller.by, smaller.schedule.faults = by, faults
		all = append(all, smaller)
	}
	for i, f := range s.schedule.faults {
		if len(s.schedule.faults) > 1 {
			with("no "+f.String(), slices.Delete(slices.Clone(s.schedule.faults), i, i+1))
		}
	}
	all = append(all, s.withLess()...)
	if s.rounds > 1 && !slices.ContainsFunc(s.witnesses, witness.restless) {
		smaller := s
		smaller.by, smaller.rounds = "one round", 1
		all = append(all, smaller)
	}
	for i, f := range s.schedule.faults {
		for _, earlier := range s.survey.earlier(f) {
			faults := slices.Clone(s.schedule.faults)
			faults[i] = earlier
			with(earlier.String(), faults)
		}
	}
	return all
}

// withLess are those with a smaller workload. Expectations are of the workload as it stands, and so
// are groups of workers that take turns.
func (s shrunk) withLess() []shrunk {
	if s.options.Expectations || len(s.workload.groups) > 0 {
		return nil
	}
	var all []shrunk
	for _, each := range s.workload.smaller(s.schedule.workers()) {
		campaign := *s.campaign
		campaign.workload = each.workload
		smaller := s
		smaller.campaign, smaller.by = &campaign, each.by
		smaller.schedule = s.schedule.moved(each.moves)
		all = append(all, smaller)
	}
	return all
}

// workers are those that meet a fault.
func (s schedule) workers() []string {
	var names []string
	for _, f := range s.faults {
		names = append(names, f.address.Worker)
	}
	return names
}

// earlier are the same fault at the events of the same name before it in the same life.
func (s survey) earlier(f fault) []fault {
	var all []fault
	for _, each := range s.places {
		there := each.Address
		there.Nth = f.address.Nth
		if there == f.address && each.Nth < f.address.Nth {
			all = append(all, fault{each.Address, f.act, each.Number})
		}
	}
	return all
}

// moved is the schedule once the first life of some workers is not: theirs have lower numbers.
func (s schedule) moved(lives map[string]int) schedule {
	s.faults = slices.Clone(s.faults)
	for i, f := range s.faults {
		if gone, moves := lives[f.address.Worker]; moves && f.address.Incarnation > gone {
			s.faults[i].address.Incarnation--
		}
	}
	return s
}

func (w witness) restless() bool { return isOf(w.Check, restTitle) }

// sameKinds tells whether the same checks fail, each in the same way.
func sameKinds(a, b []witness) bool { return slices.Equal(kindsOf(a), kindsOf(b)) }

func kindsOf(all []witness) []string {
	kinds := make([]string, len(all))
	for i, each := range all {
		kinds[i] = each.kind()
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// kind is the check and whether there is more than expected, less, or something else: a letter that
// is sent twice is another finding than one that is not sent at all.
func (w witness) kind() string {
	_, rest, _ := strings.Cut(w.Statement, "(expected=")
	expected, actual, _ := strings.Cut(strings.TrimSuffix(rest, ")"), ", actual=")
	way := "other"
	if e, a := amount(expected), amount(actual); e < a {
		way = "more"
	} else if a < e {
		way = "less"
	}
	return fmt.Sprintf("%s: %s", w.Check, way)
}

// amount is a number, or how many values stand in the outermost list; 0 of anything else.
func amount(text string) int {
	var number int
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &number); err == nil {
		return number
	}
	if !strings.HasPrefix(text, "[") || text == "[]" {
		return 0
	}
	depth, values, quoted := 0, 1, false
	for _, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && depth == 1:
			values++
		}
	}
	return values
}

// baselines are what smaller workloads do without a fault, by what they do: findings share them.
type baselines struct {
	mutex sync.Mutex
	known map[string]*baseline
}

type baseline struct {
	once   sync.Once
	survey survey
	err    error
}

// baseline is what the workload does without a fault.
func (c *campaign) baseline(ctx context.Context) (survey, error) {
	text, err := c.workload.compose(script{rounds: 1, advance: c.options.Advance})
	if err != nil {
		return survey{}, err
	}
	c.baselines.mutex.Lock()
	of, known := c.baselines.known[string(text)]
	if !known {
		of = &baseline{}
		c.baselines.known[string(text)] = of
	}
	c.baselines.mutex.Unlock()
	of.once.Do(func() { of.survey, of.err = c.recorded(ctx) })
	return of.survey, of.err
}
