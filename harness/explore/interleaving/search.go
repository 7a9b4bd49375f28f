package interleaving

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Order is one order to try: who goes on at each exchange, and who then goes on to the end, at each
// exchange the first of them that can.
type Order struct {
	Prefix []Step   // of the last, only the worker is sure to be as it says
	Rest   []string // every worker

	at       *point // where the prefix leaves what was tried before; nil for the first order
	sleep    map[string]Step
	switches int // how often the prefix leaves a worker that could have gone on
}

// point is a moment of a run at which somebody is chosen.
type point struct {
	run   []Step
	place int // in the run
	path  []*point
	// tried are those that were chosen here, or will be, in that order.
	tried []string
	// asleep are those that need not be chosen here: what they would do was tried elsewhere, and
	// commutes with all that has been done since.
	asleep map[string]Step
}

// Counts say how far a search has come.
type Counts struct {
	// Explored orders were run and no two of them are known to come to the same.
	Explored int
	// Repeated were run and turned out to come to the same as one of those.
	Repeated int
	// Pruned are choices that were not tried, as everything that can come of them has been seen
	// otherwise; each stands for at least one order.
	Pruned int
	// Left are orders that are known and were not asked for.
	Left int
}

// Search looks through the orders of some workers. It is not for several goroutines at once.
type Search struct {
	independent func(a, b Step) bool
	workers     []string
	random      *rand.Rand // chooses among the open orders; nil for those with fewest switches
	begun       bool
	open        []Order
	counts      Counts
}

// New begins a search; independent is Independent or Never.
func New(workers []string, independent func(a, b Step) bool) *Search {
	return &Search{independent: independent, workers: slices.Clone(workers)}
}

// Wander makes the search a random walk by a seed: Next takes any of the orders that are known. It
// is called before the first Next.
func (s *Search) Wander(seed uint64) { s.random = rand.New(rand.NewPCG(seed, seed)) }

// Next are at most limit orders to try, those first that leave fewest workers in the middle; none
// when all that is known has been asked for. What comes of each must be told to Ran, in their
// order, before Next is called again: then the same runs make the same search.
func (s *Search) Next(limit int) []Order {
	if !s.begun {
		s.begun = true
		s.open = append(s.open, Order{Rest: s.workers})
	}
	if s.random == nil {
		slices.SortStableFunc(s.open, func(a, b Order) int { return cmp.Compare(a.switches, b.switches) })
	} else {
		s.random.Shuffle(len(s.open), func(i, j int) { s.open[i], s.open[j] = s.open[j], s.open[i] })
	}
	next := slices.Clone(s.open[:min(limit, len(s.open))])
	s.open = s.open[len(next):]
	return next
}

// Counts are those so far.
func (s *Search) Counts() Counts {
	counts := s.counts
	counts.Left = len(s.open)
	return counts
}

// Ran takes in what an order came to: the steps of its run, in the order in which they were chosen.
// A run that broke off has fewer. It tells whether the run is another than all before. An error is
// of a run that did not follow its order.
func (s *Search) Ran(order Order, run []Step) (isNew bool, err error) {
	for i, step := range order.Prefix {
		if i >= len(run) || run[i].Worker != step.Worker || run[i].Label != step.Label {
			return false, fmt.Errorf("exchange %d of the order was to be %s's %s, and the run has %s: "+
				"the workers do not repeat what they do", i+1, step.Worker, step.Label, chosenAt(run, i))
		}
	}
	from := len(order.Prefix)
	var path []*point
	if order.at != nil {
		path = order.at.path[: order.at.place+1 : order.at.place+1]
	}
	asleep := order.sleep
	for i := from; i < len(run); i++ {
		here := &point{run: run, place: i, asleep: asleep}
		path = append(path, here)
		here.path = path[: i+1 : i+1]
		s.counts.Pruned += len(enabled(run, i)) - 1
		if _, sleeps := asleep[run[i].Worker]; sleeps {
			s.repeated(here, path, from)
			return false, nil
		}
		here.tried = []string{run[i].Worker}
		asleep = s.stillAsleep(asleep, run[i])
	}
	s.counts.Explored++
	s.raced(run, path, from)
	return true, nil
}

// repeated cuts a run off where it chose one that sleeps, and goes on with one that is awake, if
// there is any.
func (s *Search) repeated(here *point, path []*point, from int) {
	s.counts.Repeated++
	s.raced(here.run[:here.place], path, from)
	able := enabled(here.run, here.place)
	for _, worker := range s.workers {
		_, can := able[worker]
		if _, sleeps := here.asleep[worker]; can && !sleeps {
			s.counts.Pruned++
			s.add(here, worker)
			return
		}
	}
}

func chosenAt(run []Step, i int) string {
	if i >= len(run) {
		return "come to its end"
	}
	return run[i].Worker + "'s " + run[i].Label
}

// stillAsleep are those that sleep on after a step: what it does commutes with what they would.
func (s *Search) stillAsleep(asleep map[string]Step, step Step) map[string]Step {
	still := map[string]Step{}
	for worker, would := range asleep {
		if worker != step.Worker && s.independent(would, step) {
			still[worker] = would
		}
	}
	return still
}

// raced adds, for each race of a run whose second step is new in it, an order in which it is the
// other way round.
func (s *Search) raced(run []Step, path []*point, from int) {
	p := causes(run, s.independent)
	for _, each := range p.races {
		if each.second < from-1 {
			continue
		}
		here := path[each.first]
		initials := p.initials(each)
		covered := func(worker string) bool {
			_, sleeps := here.asleep[worker]
			return sleeps || slices.Contains(here.tried, worker)
		}
		if len(initials) == 0 || slices.ContainsFunc(initials, covered) {
			continue
		}
		chosen := initials[0]
		if second := run[each.second].Worker; slices.Contains(initials, second) {
			chosen = second
		}
		s.add(here, chosen)
	}
}

// add adds the order that chooses a worker at a point where another was chosen before.
func (s *Search) add(here *point, worker string) {
	pending := next(here.run, here.place)
	would := pending[worker]
	sleep := map[string]Step{}
	for other, step := range here.asleep {
		if s.independent(step, would) {
			sleep[other] = step
		}
	}
	for _, other := range here.tried {
		if step, known := pending[other]; known && s.independent(step, would) {
			sleep[other] = step
		}
	}
	here.tried = append(here.tried, worker)
	prefix := append(slices.Clone(here.run[:here.place]), would)
	prefix[here.place].Answered = Unknown
	s.open = append(s.open, Order{
		Prefix: prefix, Rest: s.rest(worker, sleep), at: here, sleep: sleep,
		switches: switches(here.run, prefix),
	})
	s.counts.Pruned--
}

// rest are all workers: the one that was chosen, those that are awake, and those that sleep.
func (s *Search) rest(chosen string, asleep map[string]Step) []string {
	rank := func(worker string) int {
		_, sleeps := asleep[worker]
		switch {
		case worker == chosen:
			return 0
		case sleeps:
			return 2
		default:
			return 1
		}
	}
	workers := slices.Clone(s.workers)
	slices.SortStableFunc(workers, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return workers
}

// next is, for each worker, the first of its steps from a place on.
func next(run []Step, place int) map[string]Step {
	pending := map[string]Step{}
	for _, step := range run[place:] {
		if _, known := pending[step.Worker]; !known {
			pending[step.Worker] = step
		}
	}
	return pending
}

// enabled are the workers that could go on at a place of a run: those that have something to send
// and wait for no answer.
func enabled(run []Step, place int) map[string]Step {
	able := next(run, place)
	for i, step := range run[:place] {
		if step.Answered > i && step.Answered >= place {
			delete(able, step.Worker)
		}
	}
	return able
}

// switches counts where a prefix, whose steps but the last are those of a run, leaves a worker that
// could have gone on.
func switches(run, prefix []Step) int {
	count := 0
	for i := 1; i < len(prefix); i++ {
		previous := prefix[i-1].Worker
		if _, able := enabled(run, i)[previous]; able && prefix[i].Worker != previous {
			count++
		}
	}
	return count
}
