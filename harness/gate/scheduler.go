package gate

import (
	"cmp"
	"slices"
	"sync"

	"lostreply/harness/event"
)

// Scheduler is the policy of workers whose order is somebody's choice: every event of theirs waits,
// and enters the history only when it is let go. Requests wait to be chosen. Answers and exits that
// came since the last choice are let go in the order of their workers' names, once no worker is on
// its way any more: so the same choices make the same history. It is for programs that come to
// their end by themselves; a worker that sleeps on a timer of its own can't be told from one that
// works.
type Scheduler struct {
	others Policy
	mutex  sync.Mutex // guards what follows; taken under the gate's lock, never the other way round
	lives  map[life]*course
	moved  chan struct{}
}

// course is how far one life of a worker has come.
type course struct {
	life
	waiting []waitingEvent // in the order of their arrival
	latest  event.Event    // the last that was let go; its zero value before the first
}

type waitingEvent struct {
	event event.Event
	hold  *Hold
}

// NewScheduler makes a scheduler that schedules nobody yet; events of others go to their policy.
func NewScheduler(others Policy) *Scheduler {
	return &Scheduler{others: others, lives: map[life]*course{}, moved: make(chan struct{})}
}

// Schedule takes one life of a worker in, before it starts.
func (s *Scheduler) Schedule(worker string, incarnation int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	own := life{worker, incarnation}
	s.lives[own] = &course{life: own}
}

// Decide stops every event of a scheduled worker.
func (s *Scheduler) Decide(e event.Event) *Hold {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	course := s.lives[life{e.Worker, e.Incarnation}]
	if course == nil {
		return s.others.Decide(e)
	}
	if e.Kind == event.Exit {
		course.waiting = nil // what a killed worker had on the way was abandoned
	}
	hold := NewHold()
	hold.late = true
	course.waiting = append(course.waiting, waitingEvent{e, hold})
	close(s.moved)
	s.moved = make(chan struct{})
	return hold
}

// Moved is closed when the next event of a scheduled worker comes. Take it before Standings, or an
// event between the two is missed.
func (s *Scheduler) Moved() <-chan struct{} {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.moved
}

// Standing is where a scheduled worker is.
type Standing struct {
	Worker      string
	Incarnation int
	State       State
	// Event is what waits, or, of a worker that runs or has ended, what was let go last; its zero
	// value before the first.
	Event event.Event
	// Hold is what lets a waiting event go.
	Hold *Hold
}

// State says what a scheduled worker is about.
type State string

// The states of a scheduled worker.
const (
	Running State = "running"  // on its way to its next event, or at work in PostgreSQL
	Waiting State = "waiting"  // before a request, until it is chosen
	Told    State = "answered" // an answer or its exit is there, and has not been let go
	Ended   State = "ended"    // its exit has been let go
)

// Standings are where all scheduled workers are, by name and life.
func (s *Scheduler) Standings() []Standing {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	all := make([]Standing, 0, len(s.lives))
	for own, course := range s.lives {
		standing := course.standing()
		standing.Worker, standing.Incarnation = own.worker, own.incarnation
		all = append(all, standing)
	}
	slices.SortFunc(all, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Incarnation, b.Incarnation))
	})
	return all
}

// standing prefers an answer to a request, where a worker has several events on the way.
func (c *course) standing() Standing {
	for _, each := range c.waiting {
		if each.event.Phase == event.Response {
			return Standing{State: Told, Event: each.event, Hold: each.hold}
		}
	}
	switch {
	case len(c.waiting) > 0:
		return Standing{State: Waiting, Event: c.waiting[0].event, Hold: c.waiting[0].hold}
	case c.latest.Kind == event.Exit:
		return Standing{State: Ended, Event: c.latest}
	default:
		return Standing{State: Running, Event: c.latest}
	}
}

// LetGo takes note that a standing's event is let go now; the caller then resolves its hold.
func (s *Scheduler) LetGo(standing Standing) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	course := s.lives[life{standing.Worker, standing.Incarnation}]
	course.latest = standing.Event
	course.waiting = slices.DeleteFunc(course.waiting, func(each waitingEvent) bool {
		return each.hold == standing.Hold
	})
}

// Stuck are the workers among those that wait for locks who will go on waiting until another is
// chosen: each waits for somebody who does not run, or who waits so himself. Those that only wait
// for each other are not among them: PostgreSQL ends one of them. Blockers are, for each worker
// that waits for a lock, the names of those that hold it; "" is somebody who is not scheduled.
func Stuck(blockers map[string][]string, running func(worker string) bool) map[string]bool {
	stuck := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for worker, holders := range blockers {
			if stuck[worker] {
				continue
			}
			for _, holder := range holders {
				_, waits := blockers[holder]
				if stuck[holder] || !waits && !running(holder) {
					stuck[worker], changed = true, true
				}
			}
		}
	}
	return stuck
}
