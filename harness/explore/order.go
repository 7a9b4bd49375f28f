package explore

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/event"
	"lostreply/harness/explore/interleaving"
)

// order is in which order the workers of a group take turns.
type order struct {
	group *group
	interleaving.Order
}

// reversed is the order in which each worker of a group comes to its end before the one that
// started before it begins.
func (g *group) reversed() *order {
	names := g.names()
	slices.Reverse(names)
	return &order{group: g, Order: interleaving.Order{Rest: names}}
}

// orderOf is the order of a run's group; where the run has none of its own, each worker comes to
// its end before the next begins.
func (c *composer) orderOf(g *group) *order {
	if own := c.script.schedule.order; own != nil && own.group == g {
		return own
	}
	return &order{group: g, Order: interleaving.Order{Rest: g.names()}}
}

// String writes an order as it appears in output: who is chosen at each exchange, and who then goes
// on to the end: "order of a.1, b.1: a a b, then b a".
func (o *order) String() string {
	lives := make([]string, len(o.group.lives))
	for i, life := range o.group.lives {
		lives[i] = fmt.Sprintf("%s.%d", life.Worker, life.Incarnation)
	}
	text := fmt.Sprintf("order of %s: ", strings.Join(lives, ", "))
	if len(o.Prefix) > 0 {
		chosen := make([]string, len(o.Prefix))
		for i, step := range o.Prefix {
			chosen[i] = step.Worker
		}
		text += strings.Join(chosen, " ") + ", then "
	}
	return text + strings.Join(o.Rest, " ")
}

// act and event are what a finding of an order is told from others by: not by the order itself, as
// many come to the same.
func (o *order) act() string   { return "order" }
func (o *order) event() string { return strings.Join(o.group.names(), " + ") }

// blocks are the runs of exchanges of one worker, by the place of their last.
func (o *order) blocks() (ends []int) {
	for i := range o.Prefix {
		if i+1 == len(o.Prefix) || o.Prefix[i+1].Worker != o.Prefix[i].Worker {
			ends = append(ends, i)
		}
	}
	return ends
}

// longestName bounds what an order adds to the name of a file.
const longestName = 80

// name is an order as a file is called: "-order-a-2-b-1". One that would be long is a hash.
func (o *order) name() string {
	name, from := "-order", 0
	if o.group.number > 1 {
		name += strconv.Itoa(o.group.number)
	}
	for _, end := range o.blocks() {
		name += fmt.Sprintf("-%s-%d", o.Prefix[end].Worker, end+1-from)
		from = end + 1
	}
	if from == 0 {
		name += "-" + strings.Join(o.Rest, "-")
	}
	if len(name) <= longestName {
		return name
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(o.String()))
	return fmt.Sprintf("-order-%016x", sum.Sum64())
}

// story tells an order in a sentence.
func (o *order) story() string {
	text, from := o.group.String()+" take turns", 0
	for i, end := range o.blocks() {
		text += ","
		if i == 0 {
			text = strings.TrimSuffix(text, ",") + ":"
		}
		text += fmt.Sprintf(" %s %s", o.Prefix[end].Worker, o.goal(from, end).story())
		from = end + 1
	}
	return text + ", and " + strings.Join(o.Rest, ", ") + " to the end"
}

// step is the step that lets the workers of a group take turns.
func (o *order) step() *yaml.Node {
	entries := flowList()
	from := 0
	for _, end := range o.blocks() {
		block := o.Prefix[from : end+1]
		own := o.goal(from, end)
		if own.after == "" {
			for range block {
				entries.Content = append(entries.Content, text(block[0].Worker))
			}
		} else {
			entries.Content = append(entries.Content,
				flow(pair{"worker", text(block[0].Worker)}, pair{"after", text(own.after)}))
		}
		from = end + 1
	}
	rest := flowList()
	for _, name := range o.Rest {
		rest.Content = append(rest.Content, text(name))
	}
	if len(entries.Content) == 0 {
		entries = nil
	}
	return step("schedule", pair{"order", entries}, pair{"rest", rest})
}

// aim is how far a worker goes on: until an event is done, or by a number of exchanges.
type aim struct {
	after     string
	exchanges int
	last      string // what the last of the exchanges is
}

func (a aim) story() string {
	switch {
	case a.after != "":
		return "until its " + a.after + " is done"
	case a.exchanges == 1:
		return fmt.Sprintf("by one exchange (%s)", a.last)
	default:
		return fmt.Sprintf("by %d exchanges (the last: %s)", a.exchanges, a.last)
	}
}

// goal is the shortest way to say how far a block of the order goes: until its last exchange is
// done, where that has a name that none before it has, and did not wait for a lock.
func (o *order) goal(from, end int) aim {
	last := o.Prefix[end]
	for _, own := range []bool{true, false} { // names of the system before the built-in one
		for _, name := range last.Events {
			earlier := slices.ContainsFunc(o.Prefix[from:end], func(s interleaving.Step) bool {
				return slices.Contains(s.Events, name)
			})
			if own == (name != event.CommitName) && !earlier && last.Answered == end {
				return aim{after: name}
			}
		}
	}
	return aim{exchanges: end + 1 - from, last: last.Label}
}
