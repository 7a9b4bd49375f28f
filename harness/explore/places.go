package explore

import (
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/event"
)

// place is where a fault can be: one phase of one exchange of a run. It is small, as it may be kept
// for each run of a campaign.
type place struct {
	// Address is where it is held; its event is empty where the turn has no name.
	event.Address
	Kind event.Kind
	// Matters tells that the state that a fault leaves behind can differ here.
	Matters bool
	// Fresh tells that what matters right before it in this life, if anything does, can't be held
	// when it is done: only here can a fault leave what it left.
	Fresh bool
	// Open tells that the worker has a transaction open, and so may hold locks.
	Open bool
	// Number is of a call: which of its channel's requests or queries it is, from 1.
	Number int
	// Label is what the turn or call does, in a few words.
	Label string
	at    int // in the history
}

// querySuffix ends the name of the event of a channel's queries.
const querySuffix = ".query"

func (p place) query() bool { return strings.HasSuffix(p.Event, querySuffix) }

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
		key := exchangeKey(e)
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

// exchangeKey is what the two phases of an exchange have in common.
func exchangeKey(e event.Event) string {
	return fmt.Sprintf("%s %d %s %s %s", e.Worker, e.Incarnation, e.Kind, database(e), e.Label)
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

// placesOf are the places of a history, in the order of the requests.
func placesOf(history []event.Event) []place {
	var places []place
	all := exchanges(history)
	matters := mattering(all)
	follows, calls := map[string]bool{}, map[string]int{}
	open := openings{}
	for _, each := range all {
		life := fmt.Sprintf("%s %d", each.asked.Worker, each.asked.Incarnation)
		p := place{
			Kind: each.asked.Kind, Matters: matters[each], Fresh: !follows[life],
			Open: open.at(each), Label: each.asked.Label,
		}
		if p.Matters {
			follows[life] = each.told != nil && !each.told.Idle && addressOf(*each.told).Event != ""
		}
		if p.Kind == event.Call {
			calls[addressOf(each.asked).Event]++
			p.Number = calls[addressOf(each.asked).Event]
		}
		for _, e := range []*event.Event{&each.asked, each.told} {
			if e != nil && !e.Idle {
				p.Address, p.at = addressOf(*e), e.Sequence
				places = append(places, p)
			}
		}
	}
	return places
}

// openings are the databases on which each life has a transaction open.
type openings map[string]map[string]bool

// at tells whether the life of an exchange has a transaction open when it asks, and takes note of
// what is open after it.
func (o openings) at(each *exchange) bool {
	life := fmt.Sprintf("%s %d", each.asked.Worker, each.asked.Incarnation)
	if o[life] == nil {
		o[life] = map[string]bool{}
	}
	open := len(o[life]) > 0
	if each.asked.Kind == event.Turn {
		if endsTransaction(each) {
			delete(o[life], database(each.asked))
		} else {
			o[life][database(each.asked)] = true
		}
	}
	return open
}

// acts are what can be done at a place. Those that go on meanwhile are not kept waiting themselves:
// nobody is left to go on then.
func (p place) acts() []act {
	meanwhile := strings.HasPrefix(p.Worker, meanwhilePrefix)
	return slices.DeleteFunc(acts(), func(a act) bool {
		return !a.possible(p) || meanwhile && a.spares
	})
}

// fault is an act at the place.
func (p place) fault(a act) fault { return fault{p.Address, a.name, p.Number} }

// addressOf is the address at which an event is held: that of the first name that system.yaml
// gives it, or the built-in one, or one without an event.
func addressOf(e event.Event) event.Address {
	addresses := e.Addresses()
	for _, address := range addresses {
		if address.Event != event.CommitName && address.Nth > 0 {
			return address
		}
	}
	for _, address := range addresses {
		if address.Nth > 0 {
			return address
		}
	}
	return event.Address{Worker: e.Worker, Incarnation: e.Incarnation, Phase: e.Phase}
}
