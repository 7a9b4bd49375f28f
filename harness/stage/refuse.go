package stage

import (
	"fmt"

	"lostreply/harness/event"
	"lostreply/harness/scenario"
	"lostreply/harness/wire"
)

// refusal is a refuse step at work, in all lives of its worker.
type refusal struct {
	step     *scenario.Refuse
	database string
	wire     *wire.Refusal
}

// Refuse turns new connections of a worker to a database away, from now on and until the event of
// the step has come: those of its life that goes on, and of its later ones.
func (s *Stage) Refuse(step *scenario.Refuse) {
	of, name := step.Of().Value, step.Until.Event.Value
	until := s.gate.Watch(func(e event.Event) bool {
		return e.Worker == of && e.Has(name) && e.Phase == event.Response && !e.Idle
	})
	noted := refusal{
		step: step, database: s.system.DatabaseOf(step.Database), wire: wire.NewRefusal(until),
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.refusals = append(s.refusals, noted)
	if worker := s.current[step.Worker.Value]; worker != nil {
		worker.listeners[noted.database].Refuse(noted.wire)
	}
}

// refuseAtStart puts the refusals of a worker on a listener of its new life.
func (s *Stage) refuseAtStart(worker, database string, listener *wire.Listener) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, noted := range s.refusals {
		if noted.step.Worker.Value == worker && noted.database == database {
			listener.Refuse(noted.wire)
		}
	}
}

// refusalDoubts are the refusals that no connection has met, and those that were never ended: what
// the scenario is about has not happened.
func (s *Stage) refusalDoubts() []Doubt {
	var doubts []Doubt
	for _, noted := range s.refusals {
		step := noted.step
		if noted.wire.Met() == 0 {
			doubts = append(doubts, Doubt{At: step.At, Text: fmt.Sprintf("no connection of worker %s to "+
				"database %s met this refusal", step.Worker.Value, noted.database)})
		} else if !noted.wire.Over() {
			doubts = append(doubts, Doubt{At: step.At, Text: fmt.Sprintf("this refusal was never ended: "+
				"no %s of worker %s came after it", step.Until.Event.Value, step.Of().Value)})
		}
	}
	return doubts
}

// refusalNotes say how many connections were refused.
func (s *Stage) refusalNotes() []string {
	var notes []string
	for _, noted := range s.refusals {
		if met := noted.wire.Met(); met > 0 {
			notes = append(notes, fmt.Sprintf("connections of worker %s to database %s refused: %d",
				noted.step.Worker.Value, noted.database, met))
		}
	}
	return notes
}
