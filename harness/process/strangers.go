package process

import (
	"maps"
	"slices"
	"sync"
	"time"

	"lostreply/harness/clock"
)

// strangersAge is how old a look at all processes may be for what it found to be still used: while
// nobody looks, the number of one that has ended may pass to another.
const strangersAge = time.Second

// Strangers remembers processes that carry no marker, so that they are asked once and not at every
// look: a process gets its marker from the one that forked it, and none gets one later. The workers
// of a run share one.
type Strangers struct {
	mutex  sync.Mutex
	groups map[int]int // the process group of each, by pid
	looked time.Time
}

// NewStrangers knows nobody.
func NewStrangers() *Strangers { return &Strangers{groups: map[int]int{}} }

// has tells whether a process is known to carry no marker. One whose group has changed is to be
// asked again: its number may be another's now.
func (s *Strangers) has(pid, group int) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known, found := s.groups[pid]
	return found && known == group
}

func (s *Strangers) note(pid, group int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.groups[pid] = group
}

// keep forgets those that are not among the pids (ascending) of a look at all processes.
func (s *Strangers) keep(pids []int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.looked = clock.Now()
	maps.DeleteFunc(s.groups, func(pid, _ int) bool {
		_, found := slices.BinarySearch(pids, pid)
		return !found
	})
}

// refresh forgets everybody when nobody has looked lately. It is called before a worker is started.
func (s *Strangers) refresh() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if clock.Since(s.looked) > strangersAge {
		clear(s.groups)
	}
}
