package stage

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"lostreply/harness/clock"
	"lostreply/harness/wire"
)

// nearWall is how far from the wall clock a time may be to be taken for a reading of it, if the
// database's clock was moved far enough to tell the two apart.
const nearWall = 5 * time.Second

// times looks at the points in time that a worker binds in a database whose clock was moved. One
// that is near the wall clock's is the program's own idea of now, which no advance moves.
func (s *seen) times(database, worker string, bound []wire.BoundTime) {
	now := clock.Now()
	near := min(nearWall, s.advancedBy(database)/2)
	for _, each := range bound {
		if distance := each.Time.Sub(now).Abs(); distance >= near {
			continue
		}
		told := fmt.Sprintf("the clock of database %s was advanced, and worker %s then bound its own "+
			"clock's time: $%d of %s; advance does not move it, age the rows by sql:",
			database, worker, each.Param, each.Label)
		s.mutex.Lock()
		s.wallTime[told] = true
		s.mutex.Unlock()
	}
}

func (s *seen) wallTimeNotes() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Sorted(maps.Keys(s.wallTime))
}
