package interleaving_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lostreply/harness/explore/interleaving"
)

// searched looks through the orders of the programs, batch by batch; by a walk of that seed, if it
// is not 0.
func searched(
	t rapid.TB, programs map[string][]op, independent func(a, b interleaving.Step) bool, batch int,
	seed uint64,
) (explored []*world, counts interleaving.Counts) {
	names := slices.Sorted(maps.Keys(programs))
	search := interleaving.New(names, independent)
	if seed != 0 {
		search.Wander(seed)
	}
	for {
		orders := search.Next(batch)
		if len(orders) == 0 {
			return explored, search.Counts()
		}
		for _, order := range orders {
			w := newWorld(programs)
			w.follow(order)
			isNew, err := search.Ran(order, w.run)
			if err != nil {
				t.Fatal(err)
			}
			if isNew {
				explored = append(explored, w)
			}
		}
	}
}

// class tells runs apart that differ in the order of two steps that do not commute.
func class(run []interleaving.Step) string {
	numbers := map[string]int{}
	steps := make([]string, len(run))
	var pairs []string
	for j, step := range run {
		numbers[step.Worker]++
		steps[j] = fmt.Sprint(step.Worker, numbers[step.Worker])
		for i := range j {
			if run[i].Worker != step.Worker && !interleaving.Independent(run[i], step) {
				pairs = append(pairs, steps[i]+"<"+steps[j])
			}
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, " ")
}

// TestNothingIsMissed compares what a search finds with what all orders come to: every outcome and
// every class of orders is found, and no class twice.
func TestNothingIsMissed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawn := programs(t)
		outcomes, classes := map[string]bool{}, map[string]bool{}
		all := 0
		everyOrder(drawn, func(w *world) {
			all++
			outcomes[w.outcome()] = true
			classes[class(w.run)] = true
		})
		batch := rapid.SampledFrom([]int{1, 3, 8}).Draw(t, "batch")
		seed := rapid.SampledFrom([]uint64{0, 1, 2, 3}).Draw(t, "seed")
		explored, counts := searched(t, drawn, interleaving.Independent, batch, seed)
		found := map[string]bool{}
		for _, w := range explored {
			if of := class(w.run); found[of] {
				t.Fatalf("explored twice: %s", of)
			} else {
				found[of] = true
			}
			if !classes[class(w.run)] {
				t.Fatalf("no order comes to %s", class(w.run))
			}
			delete(outcomes, w.outcome())
		}
		if len(outcomes) > 0 {
			t.Fatalf("%d outcomes were missed, of %d orders; explored %+v", len(outcomes), all, counts)
		}
		if len(found) != len(classes) {
			t.Fatalf("%d classes of %d were found, of %d orders", len(found), len(classes), all)
		}
		if counts.Explored != len(explored) || counts.Left != 0 || counts.Pruned < 0 {
			t.Fatalf("counts %+v of %d explored", counts, len(explored))
		}
	})
}

// TestEveryOrder tries each order once where nothing is taken to commute.
func TestEveryOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawn := programs(t)
		all := 0
		everyOrder(drawn, func(*world) { all++ })
		explored, counts := searched(t, drawn, interleaving.Never, 8, 0)
		if len(explored) != all || counts.Repeated != 0 || counts.Pruned != 0 {
			t.Fatalf("explored %d of %d orders: %+v", len(explored), all, counts)
		}
	})
}

// TestASearchRepeats makes one search three times.
func TestASearchRepeats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawn := programs(t)
		seed := rapid.SampledFrom([]uint64{0, 5}).Draw(t, "seed")
		var first string
		for range 3 {
			var text strings.Builder
			explored, _ := searched(t, drawn, interleaving.Independent, 8, seed)
			for _, w := range explored {
				fmt.Fprintln(&text, w.run)
			}
			if first == "" {
				first = text.String()
			}
			if text.String() != first {
				t.Fatalf("one search:\n%s\nanother:\n%s", first, text.String())
			}
		}
	})
}

// unlocked is a claim that reads without a lock, writes, and calls.
func unlocked() []op {
	return []op{
		{kind: "begin", place: "d1"}, {kind: "read", place: "d1"},
		{kind: "write", place: "d1", unless: true}, {kind: "commit", place: "d1"},
		{kind: "call", place: "sms", unless: true},
	}
}

// TestFewestSwitchesFirst tries the orders first that leave a worker in the middle least often, and
// so comes to the two claims of one row soon.
func TestFewestSwitchesFirst(t *testing.T) {
	t.Parallel()
	search := interleaving.New([]string{"a", "b"}, interleaving.Independent)
	for tried := 1; ; tried++ {
		orders := search.Next(1)
		if len(orders) == 0 {
			t.Fatalf("no order of two unlocked claims sends twice: %+v", search.Counts())
		}
		w := newWorld(map[string][]op{"a": unlocked(), "b": unlocked()})
		w.follow(orders[0])
		if len(w.journals["sms"]) == 2 {
			if tried > 4 {
				t.Errorf("it took %d orders to find that both send", tried)
			}
			return
		}
		if _, err := search.Ran(orders[0], w.run); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnOrderThatIsNotFollowed is an error, and says where.
func TestAnOrderThatIsNotFollowed(t *testing.T) {
	t.Parallel()
	search := interleaving.New([]string{"a", "b"}, interleaving.Never)
	first := search.Next(1)[0]
	run := []interleaving.Step{{Worker: "a", Label: "x"}, {Worker: "b", Label: "y", Answered: 1}}
	if _, err := search.Ran(first, run); err != nil {
		t.Fatal(err)
	}
	second := search.Next(1)[0]
	run = []interleaving.Step{{Worker: "b", Label: "z"}}
	_, err := search.Ran(second, run)
	if err == nil || !strings.Contains(err.Error(), "exchange 1 of the order was to be b's y") {
		t.Errorf("a run that does something else: %v", err)
	}
}
