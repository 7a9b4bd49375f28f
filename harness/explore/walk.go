package explore

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"lostreply/harness/check"
)

// walk is the plan of a random walk: each walker draws a fault, then, as long as nothing goes
// wrong, another one anywhere after it, and begins anew. What it draws follows from the seed and
// from what came of its own schedules, so the same seed makes the same walk; whoever runs it says
// when it is enough.
type walk struct {
	seed    uint64
	options Options
	at      *regexp.Regexp
	walkers []*walker
	tried   int
}

// walkers is how many schedules of a walk are planned at once. It is part of what the seed means.
const walkers = 8

// walkFaults is how many faults there are in one run at most: the crashes that most bugs of
// recovery need.
const walkFaults = 3

// most is how many faults there are in one run at most.
func (o Options) most() int {
	if o.Walk != 0 {
		return walkFaults
	}
	return o.Faults
}

type walker struct {
	random *rand.Rand
	// firsts are the first faults that are this walker's alone, so that no two draw one schedule.
	firsts []fault
	drawn  map[string]bool
	// after are the faults that can follow a first one, by its schedule's id.
	after map[string][]fault
	now   schedule
	wants int // faults of the schedule that is on its way
}

func newWalk(places []place, options Options) *walk {
	w := &walk{seed: options.Walk, options: options, at: regexp.MustCompile(options.At)}
	for i := range walkers {
		w.walkers = append(w.walkers, &walker{
			random: rand.New(rand.NewPCG(options.Walk, uint64(i))), drawn: map[string]bool{},
			after: map[string][]fault{},
		})
	}
	for i, f := range w.faults(places) {
		own := w.walkers[i%walkers]
		own.firsts = append(own.firsts, f)
	}
	return w
}

// faults are those that can be at some places.
func (w *walk) faults(places []place) []fault {
	var all []fault
	for _, each := range places {
		for _, act := range each.acts() {
			tells := w.options.Full || each.Matters && act.tells(each)
			if f := each.fault(act); tells && each.Event != "" && w.at.MatchString(f.String()) {
				all = append(all, f)
			}
		}
	}
	return all
}

func (w *walk) next(done []outcome) []schedule {
	came := map[int]outcome{}
	for _, each := range done {
		came[each.schedule.share] = each
	}
	var batch []schedule
	for i, own := range w.walkers {
		if s, more := own.next(w, came[i]); more {
			s.share = i
			batch = append(batch, s)
			w.tried++
		}
	}
	return batch
}

// draws is how often a walker draws again what it has drawn before, until it takes everything for
// tried.
const draws = 200

// next is a schedule that the walker has not drawn before; there is none when it does not find any.
func (w *walker) next(of *walk, came outcome) (schedule, bool) {
	var further []fault
	if came.Verdict == check.Pass && !came.Blocked {
		further = of.faults(came.Places)
	}
	if len(w.now.faults) == 1 {
		w.after[w.now.id()] = further
	}
	if len(w.now.faults) < w.wants {
		if s, more := w.extended(w.now, further); more {
			return s, true
		}
	}
	for range draws {
		if len(w.firsts) == 0 {
			break
		}
		w.wants = 1 + w.random.IntN(walkFaults)
		s := schedule{faults: []fault{w.firsts[w.random.IntN(len(w.firsts))]}}
		if !w.drawn[s.id()] {
			return w.take(s), true
		}
		if w.wants == 1 {
			continue
		}
		if s, more := w.extended(s, w.after[s.id()]); more {
			return s, true
		}
	}
	w.now = schedule{}
	return schedule{}, false
}

// extended is a schedule with one of the faults more, if that has not been drawn before.
func (w *walker) extended(s schedule, further []fault) (schedule, bool) {
	if len(further) == 0 {
		return s, false
	}
	s = s.after(further[w.random.IntN(len(further))])
	if w.drawn[s.id()] {
		return s, false
	}
	return w.take(s), true
}

func (w *walker) take(s schedule) schedule {
	w.drawn[s.id()] = true
	w.now = s
	return s
}

func (w *walk) counted() (total, pruned int) { return w.tried, 0 }

func (w *walk) notes() []string {
	return []string{fmt.Sprintf("a random walk of seed %d", w.seed)}
}
