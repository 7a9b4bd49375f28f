package process_test

import (
	"slices"
	"testing"

	"lostreply/harness/process"
)

// What one worker's end has taught of who is nobody's must not hide the daemon of another, which
// holds nothing by which it could be found but its marker.
func TestStrangersAreSharedAndMembersAreNoStrangers(t *testing.T) {
	known := process.NewStrangers()
	daemonic := func() *process.Group {
		spec := specOf("sh", "-c", `setsid sh -c '
			echo "daemon $$"; exec sleep 1000 >/dev/null 2>&1' & sleep 1000`)
		spec.Strangers = known
		return start(t, spec)
	}
	spec := specOf("true")
	spec.Strangers = known
	waitEnded(t, start(t, spec))

	first, second := daemonic(), daemonic()
	daemon, other := pidOf(t, first, "daemon "), pidOf(t, second, "daemon ")
	confirmed := kill(t, first)
	mustBeGone(t, first.ID(), daemon)
	if seen := pids(confirmed); !slices.Contains(seen, daemon) || slices.Contains(seen, other) {
		t.Errorf("confirmed %v, want %d among them and %d not", seen, daemon, other)
	}
	confirmed = kill(t, second)
	mustBeGone(t, second.ID(), other)
	if !slices.Contains(pids(confirmed), other) {
		t.Errorf("confirmed %v, want %d among them", confirmed, other)
	}
}
