package explore

import (
	"fmt"

	"lostreply/harness/check"
	"lostreply/harness/explore/interleaving"
	"lostreply/harness/result"
)

// interleavings is the plan of the orders in which the workers of a group take turns. Which order
// is worth trying follows from the runs before, so the orders of a group are all of one shard.
type interleavings struct {
	group  *group
	search *interleaving.Search
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
	for _, each := range c.workload.groups {
		all = append(all, &interleavings{
			group: each, search: interleaving.New(each.names(), independent), left: limit,
		})
	}
	return all
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
		batch[at] = schedule{order: &order{group: i.group, Order: each}, share: i.group.number - 1}
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
	if counts.Repeated > 0 {
		notes = append(notes, fmt.Sprintf("orders of %s: %d of those that were run came to the same as "+
			"others", i.group, counts.Repeated))
	}
	if counts.Left > 0 {
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
