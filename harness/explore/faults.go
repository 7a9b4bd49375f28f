package explore

import (
	"fmt"
	"regexp"
	"strings"

	"lostreply/harness/event"
)

// faults is the plan of one fault in each run, and of more of them: each phase of each turn and
// call, with each act; and then, after each of these, each place that came after it, recovery
// included.
type faults struct {
	options       Options
	places        []place // of the workload without a fault
	at            *regexp.Regexp
	begun         bool
	total, pruned int
	leftOut       int      // beyond the bound
	unnamed       []string // turns that could not be held, having no name, by their labels
}

func newFaults(places []place, options Options) *faults {
	return &faults{places: places, options: options, at: regexp.MustCompile(options.At)}
}

// next are first the single faults, and then one fault more after each of the last batch.
func (f *faults) next(done []outcome) []schedule {
	if !f.begun {
		f.begun = true
		f.nameless()
		singles := f.extend(schedule{}, f.places, nothing)
		for i := range singles {
			singles[i].share = i
		}
		return singles
	}
	var batch []schedule
	for _, each := range done {
		if len(each.schedule.faults) < f.options.Faults {
			batch = append(batch, f.extend(each.schedule, each.Places, each.tells)...)
		}
	}
	return f.bounded(batch)
}

func nothing(place) bool { return false }

// extend is a schedule with each fault more that can be at one of the places. The same tells where
// a fault more would only repeat what a shorter schedule shows.
func (f *faults) extend(s schedule, places []place, same func(place) bool) []schedule {
	var all []schedule
	for _, each := range places {
		for _, act := range each.acts() {
			if !f.at.MatchString(each.fault(act).String()) || s.scripts(each.fault(act)) {
				continue
			}
			f.total++
			switch {
			case !f.options.Full && (!each.Matters || !act.tells(each) || same(each)):
				f.pruned++
			case each.Event != "":
				all = append(all, s.after(each.fault(act)))
			}
		}
	}
	return all
}

// bounded are so many schedules as there may be, evenly chosen.
func (f *faults) bounded(batch []schedule) []schedule {
	most := f.options.Most
	if most == 0 || len(batch) <= most {
		return batch
	}
	f.leftOut += len(batch) - most
	chosen := make([]schedule, most)
	for i := range chosen {
		chosen[i] = batch[i*len(batch)/most]
	}
	return chosen
}

// nameless takes note of the turns that matter and have no name.
func (f *faults) nameless() {
	for _, each := range f.places {
		if each.Event == "" && each.Phase == event.Request && (f.options.Full || each.Matters) {
			f.unnamed = append(f.unnamed,
				fmt.Sprintf("%s.%d %s", each.Worker, each.Incarnation, each.Label))
		}
	}
}

func (f *faults) counted() (total, pruned int) { return f.total, f.pruned }

func (f *faults) notes() []string {
	var notes []string
	if len(f.unnamed) > 0 {
		notes = append(notes, fmt.Sprintf("%d turns have no name, and can't be held (record prints "+
			"names for them): %s", len(f.unnamed), strings.Join(f.unnamed, ", ")))
	}
	if f.leftOut > 0 {
		notes = append(notes, fmt.Sprintf("%d schedules of several faults are beyond the bound of %d "+
			"and were left out", f.leftOut, f.options.Most))
	}
	return notes
}
