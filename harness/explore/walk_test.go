package explore

import (
	"slices"
	"strings"
	"testing"

	"lostreply/harness/check"
	"lostreply/harness/event"
)

// walked are the first schedules of a walk through a world in which everything comes out well.
func walked(seed uint64, batches int, shard, shards int) []string {
	at := func(names ...string) []place {
		var places []place
		for _, name := range names {
			places = append(places, place{
				Address: event.Address{
					Worker: "w", Incarnation: 1, Event: name, Nth: 1, Phase: event.Response,
				},
				Kind: event.Call, Matters: true,
			})
		}
		return places
	}
	w := newWalk(at("a", "b", "c", "d", "e", "f", "g", "h", "i"), Options{Walk: seed})
	var ids []string
	var done []outcome
	for range batches {
		batch := w.next(done)
		done = nil
		for _, s := range batch {
			if shards > 0 && s.share%shards != shard {
				continue
			}
			ids = append(ids, s.id())
			done = append(done, outcome{
				Verdict: check.Pass, schedule: s, sequel: sequel{Places: at("x", "y", "z")},
			})
		}
	}
	return ids
}

// TestWalk draws the same schedules for a seed, others for another, none twice, of one to three
// faults; and each shard draws those that the whole walk has of it.
func TestWalk(t *testing.T) {
	t.Parallel()
	first := walked(7, 20, 0, 0)
	if !slices.Equal(first, walked(7, 20, 0, 0)) {
		t.Error("one seed makes two walks")
	}
	if slices.Equal(first, walked(8, 20, 0, 0)) {
		t.Error("two seeds make one walk")
	}
	lengths := map[int]int{}
	seen := map[string]bool{}
	for _, id := range first {
		lengths[strings.Count(id, ", then ")+1]++
		if seen[id] {
			t.Errorf("drawn twice: %s", id)
		}
		seen[id] = true
	}
	if len(lengths) != 3 || lengths[1] == 0 || lengths[2] == 0 || lengths[3] == 0 {
		t.Errorf("schedules by their faults: %v, want some of one, two and three", lengths)
	}
	var parts []string
	for shard := range 2 {
		parts = append(parts, walked(7, 20, shard, 2)...)
	}
	slices.Sort(parts)
	slices.Sort(first)
	if !slices.Equal(parts, first) {
		t.Errorf("two shards draw %d schedules, and the walk %d", len(parts), len(first))
	}
}

// TestWalkEnds at the last schedule that there is.
func TestWalkEnds(t *testing.T) {
	t.Parallel()
	w := newWalk(nil, Options{Walk: 1})
	if batch := w.next(nil); len(batch) > 0 {
		t.Errorf("a walk without places draws %v", batch)
	}
}
