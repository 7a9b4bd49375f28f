package explore

import (
	"fmt"
	"math"

	"lostreply/harness/check"
	"lostreply/harness/explore/interleaving"
	"lostreply/harness/result"
)

// interleavings is the plan of the orders in which the workers of a group take turns. Which order
// is worth trying follows from the runs before, so the orders of a group are all of one shard.
type interleavings struct {
	group  *group
	search *interleaving.Search
	walk   uint64 // the seed of a random walk; 0 for none
	share  int
	left   int // how many may still be tried
	asked  []interleaving.Order
	lost   int // runs that did not follow their order
}

// interleavings are the plans of the groups of a workload.
func (c *campaign) interleavings() []planner {
	independent := interleaving.Independent
	if c.options.Full {
		independent = interleaving.Never
	}
	limit := c.options.Orders
	if limit == 0 {
		limit = DefaultOrders
	}
	var all []planner
	var walk abreast
	for i, each := range c.workload.groups {
		own := &interleavings{
			group: each, search: interleaving.New(each.names(), independent), left: limit,
			walk: c.options.Walk, share: c.options.GroupsBefore + i,
		}
		if own.walk != 0 {
			own.search.Wander(own.walk)
			own.left = math.MaxInt
			walk = append(walk, own)
			continue
		}
		all = append(all, own)
	}
	if len(walk) > 0 {
		return []planner{walk}
	}
	return all
}

// elsewhere tells whether all orders there are to try are another shard's.
func (c *campaign) elsewhere() bool {
	shards := c.options.Shards
	for i := range c.workload.groups {
		if shards == 0 || (c.options.GroupsBefore+i)%shards == c.options.Shard-1 {
			return false
		}
	}
	return c.options.Interleave
}

// orderBatch is how many orders are planned at once. It decides which orders are tried, so it is
// the same for every campaign.
const orderBatch = 8

func (i *interleavings) next(done []outcome) []schedule {
	for at, each := range done {
		if _, err := i.search.Ran(i.asked[at], each.Run); err != nil {
			i.lost++
		}
	}
	i.asked = i.search.Next(min(orderBatch, i.left))
	i.left -= len(i.asked)
	batch := make([]schedule, len(i.asked))
	for at, each := range i.asked {
		batch[at] = schedule{order: &order{group: i.group, Order: each}, share: i.share}
	}
	return batch
}

func (i *interleavings) counted() (total, pruned int) {
	counts := i.search.Counts()
	return counts.Explored + counts.Repeated + i.lost + counts.Pruned + counts.Left, counts.Pruned
}

func (i *interleavings) notes() []string {
	var notes []string
	counts := i.search.Counts()
	if i.walk != 0 {
		notes = append(notes, fmt.Sprintf("a random walk of seed %d through orders of %s", i.walk,
			i.group))
	}
	if counts.Repeated > 0 {
		notes = append(notes, fmt.Sprintf("orders of %s: %d of those that were run came to the same as "+
			"others", i.group, counts.Repeated))
	}
	if counts.Left > 0 && i.walk == 0 {
		notes = append(notes, fmt.Sprintf("orders of %s: %d more are known and were not tried: --orders "+
			"allows more", i.group, counts.Left))
	}
	return notes
}

// follow keeps what a run needs to plan the next, and makes sure that it followed its order: one
// that did not proves nothing.
func (o *outcome) follow(tried *order, r result.Result) {
	o.Run = stepsOf(r.History, tried.group)
	if o.Verdict == check.Inconclusive {
		return
	}
	for i, step := range tried.Prefix {
		if i < len(o.Run) && o.Run[i].Worker == step.Worker && o.Run[i].Label == step.Label {
			continue
		}
		o.Verdict, o.Witnesses = check.Inconclusive, nil
		o.Reasons = append(o.Reasons, fmt.Sprintf("  exchange %d was to be %s's %q, as in the run "+
			"before: the workers do not repeat what they do", i+1, step.Worker, step.Label))
		return
	}
}
