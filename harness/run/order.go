package run

import (
	"cmp"
	"slices"
	"sync"

	"lostreply/harness/scenario"
)

// order is the order in which scenarios are begun. Those that sit out timeouts hardly need the
// machine: half of the slots are theirs for as long as there are any, and the others use what they
// leave. Were they to come last, it would be idle at the end.
type order struct {
	most int // how many that sit something out run at once, while there are others

	mutex           sync.Mutex
	sitting, others []int // places in the list of those that have not begun, in their order
	running         int   // how many that sit something out
}

// newOrder is that of the list itself where one scenario runs at once.
func newOrder(scenarios []*scenario.Scenario, parallel int) *order {
	o := &order{most: parallel / 2}
	for place, s := range scenarios {
		if o.most > 0 && s.SitsOut() > 0 {
			o.sitting = append(o.sitting, place)
		} else {
			o.others = append(o.others, place)
		}
	}
	slices.SortStableFunc(o.sitting, func(a, b int) int { // the longest first
		return cmp.Compare(scenarios[b].SitsOut(), scenarios[a].SitsOut())
	})
	return o
}

// next is the place of the scenario to begin now, and ended is called when it has come to its end.
// It may be asked for as often as there are scenarios.
func (o *order) next() (place int, ended func()) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if len(o.sitting) == 0 || o.running >= o.most && len(o.others) > 0 {
		place, o.others = o.others[0], o.others[1:]
		return place, func() {}
	}
	place, o.sitting = o.sitting[0], o.sitting[1:]
	o.running++
	return place, func() {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		o.running--
	}
}
