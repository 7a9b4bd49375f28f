package explore

import (
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/event"
)

// fault is one hold and its act.
type fault struct {
	address event.Address
	act     string
	// number is of a call: which of its channel's requests or queries it is in the run, from 1. It
	// follows from the address, and is no part of the id.
	number int
}

// String writes a fault as it appears in output: "kill at a.1 push#2 response".
func (f fault) String() string { return fmt.Sprintf("%s at %s", f.act, f.address) }

// schedule is one run of a plan: what is done to the workload, and nothing of what comes of it. It
// is told from others by what it holds (id), so that results can be kept, shared out and found
// again, whatever the plan was that it came from.
type schedule struct {
	// faults are in the order in which they come; none is a run without a fault.
	faults []fault
	// order is in which order the workers of a group take turns; nil for none in particular.
	order *order
	// share decides which shard runs it: the share modulo the number of shards. A schedule that is
	// planned from what another came to has the share of that one, so that a shard never needs the
	// outcomes of the others.
	share int
}

// id names the schedule: the same faults have the same id in each exploration.
func (s schedule) id() string {
	return s.joined(", then ", fault.String, (*order).String)
}

// String writes a schedule as it appears in output.
func (s schedule) String() string { return s.id() }

// after is the schedule with one more fault at its end.
func (s schedule) after(f fault) schedule {
	s.faults = append(s.faults[:len(s.faults):len(s.faults)], f)
	return s
}

// plain tells that nothing is done to the workload.
func (s schedule) plain() bool { return len(s.faults) == 0 && s.order == nil }

// noFault is what is said of a schedule where it has no faults and no order.
const noFault = "no fault"

// joined is what one function says of each fault, and another of the order, if there is one.
func (s schedule) joined(with string, of func(fault) string, ordered func(*order) string) string {
	if s.plain() {
		return noFault
	}
	parts := make([]string, len(s.faults))
	for i, each := range s.faults {
		parts[i] = of(each)
	}
	if s.order != nil {
		parts = append(parts, ordered(s.order))
	}
	return strings.Join(parts, with)
}

// acts, events and places tell what is done, at which named events and where.
func (s schedule) acts() string {
	return s.joined(" + ", func(f fault) string { return f.act }, (*order).act)
}

func (s schedule) events() string {
	return s.joined(" + ", func(f fault) string { return f.address.Event }, (*order).event)
}

func (s schedule) places() string {
	return s.joined(", then ", func(f fault) string { return f.address.String() }, (*order).String)
}

// name is the schedule as a scenario and its file are called.
func (s schedule) name(of string) string {
	if s.plain() {
		return of + "-no-fault"
	}
	return of + s.joined("", func(f fault) string {
		return fmt.Sprintf("-%s-%s.%d-%s-%d-%s", f.act, f.address.Worker, f.address.Incarnation,
			f.address.Event, f.address.Nth, f.address.Phase)
	}, (*order).name)
}

// story tells the schedule in a sentence.
func (s schedule) story() string { return s.joined("; ", fault.story, (*order).story) }

// story tells a fault in a sentence.
func (f fault) story() string {
	done := "what it asked for is not done"
	if f.address.Phase == event.Response {
		done = "what it asked for is done, and it has not been told"
	}
	return fmt.Sprintf("%s %s at its %s %d (%s)", f.address.Worker, actNamed(f.act).story,
		f.address.Event, f.address.Nth, done)
}

// channel is that of a call; query tells whether it asks what the channel has accepted.
func (f fault) channel() string { return strings.TrimSuffix(f.address.Event, querySuffix) }

func (f fault) query() bool { return strings.HasSuffix(f.address.Event, querySuffix) }

// scripts tells whether a schedule says already what the channel answers to the call of a fault: it
// answers once.
func (s schedule) scripts(f fault) bool {
	return slices.ContainsFunc(s.faults, func(other fault) bool {
		other.address.Phase = f.address.Phase
		return f.act == actFailed && other.act == actFailed && other.address == f.address
	})
}
