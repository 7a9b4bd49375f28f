package explore

import (
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/event"
)

// The acts that are tried. What the wire calls sever is, of a call, a hang-up when the other side
// has not accepted yet, and a lost reply when it has.
const (
	actKill      = "kill"
	actSever     = "sever"
	actHangUp    = "hang-up"
	actLostReply = "lost-reply"
)

// fault is one hold and its act.
type fault struct {
	number  int // its place in the plan, from 1
	address event.Address
	act     string
}

// String writes a fault as it appears in output: "kill at a.1 push#2 response".
func (f fault) String() string { return fmt.Sprintf("%s at %s", f.act, f.address) }

// plan is what is to be tried.
type plan struct {
	faults []fault
	total  int // of all faults, tried or not
	pruned int
	// unnamed are the turns that could not be held, having no name, by their labels.
	unnamed []string
}

// exchange is a turn or a call with both of its phases; told is nil when it was never answered.
type exchange struct {
	asked event.Event
	told  *event.Event
}

// exchanges pairs requests with their responses, in the order of the requests. Of one worker and
// one label, the first request that was not answered yet is what a response answers.
func exchanges(history []event.Event) []*exchange {
	var all []*exchange
	open := map[string][]*exchange{}
	for _, e := range history {
		if e.Kind == event.Exit {
			continue
		}
		key := fmt.Sprintf("%s %d %s %s %s", e.Worker, e.Incarnation, e.Kind, database(e), e.Label)
		if e.Phase == event.Request {
			each := &exchange{asked: e}
			all = append(all, each)
			open[key] = append(open[key], each)
		} else if waiting := open[key]; len(waiting) > 0 {
			waiting[0].told = &e
			open[key] = waiting[1:]
		}
	}
	return all
}

// database is where a turn went, as its detail begins; empty for a call.
func database(e event.Event) string {
	if e.Kind != event.Turn {
		return ""
	}
	name, _, _ := strings.Cut(e.Detail, " ")
	return name
}

// mattering are the exchanges at which the state that a fault leaves behind can differ: calls, and
// turns that end a transaction that may have written. A fault anywhere else in a transaction leaves
// what one at the request of its end leaves.
func mattering(all []*exchange) map[*exchange]bool {
	matters := map[*exchange]bool{}
	wrote := map[string]bool{}
	for _, each := range all {
		e := each.asked
		if e.Kind == event.Call {
			matters[each] = true
			continue
		}
		key := fmt.Sprintf("%s %d %s", e.Worker, e.Incarnation, database(e))
		wrote[key] = wrote[key] || mayWrite(each)
		if endsTransaction(each) {
			matters[each] = wrote[key]
			delete(wrote, key)
		}
	}
	return matters
}

// endsTransaction tells whether no transaction was open after a turn, by the status that the server
// gave: none is written where it was idle before and after.
func endsTransaction(each *exchange) bool {
	if each.told == nil {
		return true
	}
	detail := each.told.Detail
	return !strings.HasSuffix(detail, ">T)") && !strings.HasSuffix(detail, ">E)")
}

// readers begin the labels of statements that change no row, whatever they say.
var readers = []string{
	"begin", "commit", "rollback", "select", "with-select", "values", "table", "set", "show",
	"savepoint", "release", "declare", "fetch", "move", "close", "lock", "listen", "discard",
}

// mayWrite tells whether a turn may have changed rows, by its label. Of a SELECT it is taken that
// it does not; a function that it calls may all the same.
func mayWrite(each *exchange) bool {
	word, _, _ := strings.Cut(each.asked.Label, " ")
	return !slices.Contains(readers, word) && (each.told == nil || !each.told.Idle)
}

// newPlan lists the faults of a history: each phase of each turn and call, with each act.
func newPlan(history []event.Event, full bool) plan {
	var p plan
	all := exchanges(history)
	matters := mattering(all)
	for _, each := range all {
		phases := []*event.Event{&each.asked, each.told}
		for _, e := range phases {
			if e == nil || e.Idle {
				continue
			}
			acts := actsOn(*e)
			p.total += len(acts)
			switch address, named := addressOf(*e); {
			case !full && !matters[each]:
				p.pruned += len(acts)
			case !named:
				if e.Phase == event.Request {
					p.unnamed = append(p.unnamed, fmt.Sprintf("%s.%d %s", e.Worker, e.Incarnation, e.Label))
				}
			default:
				for _, act := range acts {
					p.faults = append(p.faults, fault{len(p.faults) + 1, address, act})
				}
			}
		}
	}
	return p
}

func actsOn(e event.Event) []string {
	switch {
	case e.Kind == event.Turn:
		return []string{actKill, actSever}
	case e.Phase == event.Request:
		return []string{actKill, actHangUp}
	default:
		return []string{actKill, actLostReply}
	}
}

// addressOf is the address at which an event is held: that of the first name that system.yaml
// gives it, or the built-in one.
func addressOf(e event.Event) (event.Address, bool) {
	addresses := e.Addresses()
	for _, address := range addresses {
		if address.Event != event.CommitName && address.Nth > 0 {
			return address, true
		}
	}
	for _, address := range addresses {
		if address.Nth > 0 {
			return address, true
		}
	}
	return event.Address{}, false
}
