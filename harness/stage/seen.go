package stage

import (
	"context"
	"sync"
	"time"

	"lostreply/harness/strict"
	"lostreply/harness/wire"
)

// seen is what workers sent that may not mean what the scenario takes it for. It is told as notes:
// a CURRENT_TIMESTAMP that nobody compares does no harm, and only the author knows.
type seen struct {
	mutex    sync.Mutex
	known    map[string]bool // texts of statements, with their database
	advances map[string]time.Duration
	uncaught map[string][]string // by database: spellings that read the time past its clock
	named    map[string][]string // by event: the statements that it was
	wallTime map[string]bool     // what bound a time near the wall clock's, as it is told
}

func newSeen() *seen {
	return &seen{
		known: map[string]bool{}, advances: map[string]time.Duration{}, uncaught: map[string][]string{},
		named: map[string][]string{}, wallTime: map[string]bool{},
	}
}

// textsKept bounds how many texts of statements are looked at.
const textsKept = 4096

// statements looks at the statements of one turn, each text once.
func (s *seen) statements(database string, names wire.Names, statements []wire.Statement) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, statement := range statements {
		key := database + "\x00" + statement.Text
		if s.known[key] || len(s.known) >= textsKept {
			continue
		}
		s.known[key] = true
		s.lookAtClock(database, statement)
		s.lookAtNames(names, statement)
	}
}

// advancedBy is how far a database's clock has been moved in all.
func (s *seen) advancedBy(database string) time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.advances[database]
}

// Advanced takes note that a database's clock is moved: from now on the times that workers bind are
// looked at.
func (s *Stage) Advanced(named strict.Text, by time.Duration) {
	database := s.system.DatabaseOf(named)
	s.seen.mutex.Lock()
	s.seen.advances[database] += by
	s.seen.mutex.Unlock()
	for _, worker := range s.Workers() {
		if listener := worker.listeners[database]; listener != nil {
			listener.WatchTimes()
		}
	}
}

// Notes are what a reader wants to see of the run besides its checks. They vary, and are no part of
// evidence.
func (s *Stage) Notes(ctx context.Context) []string {
	notes := s.refusalNotes()
	notes = append(notes, s.clockNotes(ctx)...)
	notes = append(notes, s.seen.wallTimeNotes()...)
	return append(notes, s.seen.nameNotes(s.scenario.Uses)...)
}
