package explore

import (
	"fmt"
	"strings"

	"lostreply/harness/event"
)

// singles is the plan of one fault in each run: each phase of each turn and call, with each act.
type singles struct {
	batch         []schedule
	total, pruned int
	unnamed       []string // turns that could not be held, having no name, by their labels
}

// newSingles plans the faults at the places of a workload.
func newSingles(places []place, full bool) *singles {
	var s singles
	for _, each := range places {
		if each.Event == "" && each.Phase == event.Request && (full || each.Matters) {
			s.unnamed = append(s.unnamed,
				fmt.Sprintf("%s.%d %s", each.Worker, each.Incarnation, each.Label))
		}
		for _, act := range each.acts() {
			s.total++
			switch {
			case !full && (!each.Matters || !act.tells(each)):
				s.pruned++
			case each.Event != "":
				s.batch = append(s.batch,
					schedule{faults: []fault{each.fault(act)}, share: len(s.batch)})
			}
		}
	}
	return &s
}

func (s *singles) next([]outcome) []schedule {
	batch := s.batch
	s.batch = nil
	return batch
}

func (s *singles) counted() (total, pruned int) { return s.total, s.pruned }

func (s *singles) notes() []string {
	if len(s.unnamed) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d turns have no name, and can't be held (record prints names for "+
		"them): %s", len(s.unnamed), strings.Join(s.unnamed, ", "))}
}
