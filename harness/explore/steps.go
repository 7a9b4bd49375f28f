package explore

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"lostreply/harness/event"
	"lostreply/harness/explore/interleaving"
	"lostreply/harness/scenario"
)

// stepsOf are the exchanges of a group's workers, in the order in which they were chosen, with what
// each can do to what the others see.
func stepsOf(history []event.Event, g *group) []interleaving.Step {
	var own []event.Event
	for _, e := range history {
		if slices.Contains(g.lives, scenario.Life{Worker: e.Worker, Incarnation: e.Incarnation}) {
			own = append(own, e)
		}
	}
	all := exchanges(own)
	requests := 0
	answered := map[string][]int{} // for each worker's label, the latest request at its answers
	for _, e := range own {
		switch {
		case e.Kind == event.Exit:
		case e.Phase == event.Request:
			requests++
		default:
			answered[exchangeKey(e)] = append(answered[exchangeKey(e)], requests-1)
		}
	}
	effects := &effects{channels: g.channels, sessions: map[session]*inside{}}
	steps := make([]interleaving.Step, len(all))
	last := map[string]int{}
	for i, each := range all {
		steps[i] = interleaving.Step{
			Worker: each.asked.Worker, Label: each.asked.Label, Events: each.asked.Names,
			Accesses: effects.accesses(each), Answered: math.MaxInt,
		}
		if key := exchangeKey(each.asked); each.told != nil {
			steps[i].Answered = answered[key][0]
			answered[key] = answered[key][1:]
		}
		if before, is := last[each.asked.Worker]; is && each.asked.Kind == event.Call {
			effects.arrives(steps, before, each.asked)
		}
		last[each.asked.Worker] = i
	}
	for worker, i := range last {
		steps[i].Accesses = append(steps[i].Accesses, effects.leaving(worker)...)
	}
	return steps
}

// effects follows what each worker has done, database by database, to tell what its next turn can
// do to what others see.
type effects struct {
	channels []string // of the system
	sessions map[session]*inside
}

type session struct{ worker, database string }

// inside is what a worker has done to a database: how many transactions it has open, whether any of
// them wrote, and whether it ever did something of which nothing is known.
type inside struct {
	open            int
	wrote, anything bool
}

// accesses are where an exchange goes, and what it can do there. Calls of one channel do not
// commute: the channel has them in an order. A call that is no channel's request or query may be
// any channel's.
func (e *effects) accesses(each *exchange) []interleaving.Access {
	asked := each.asked
	if asked.Kind == event.Call {
		var all []interleaving.Access
		for _, name := range e.called(asked) {
			all = append(all, interleaving.Access{Place: "channel " + name})
		}
		return all
	}
	name := session{asked.Worker, database(asked)}
	own := e.sessions[name]
	if own == nil {
		own = &inside{}
		e.sessions[name] = own
	}
	return []interleaving.Access{{Place: "database " + name.database, Effect: own.turn(each)}}
}

// called are the channels that a call may be of.
func (e *effects) called(call event.Event) []string {
	for _, name := range e.channels {
		if call.Has(name) || call.Has(scenario.QueryEvent(name)) {
			return []string{name}
		}
	}
	return e.channels
}

// arrives adds what a call does before it is chosen: it is in the channel's journal as soon as the
// worker has the answer before it.
func (e *effects) arrives(steps []interleaving.Step, before int, call event.Event) {
	places := []int{before}
	if answered := steps[before].Answered; answered > before && answered < len(steps) {
		places = append(places, answered)
	}
	for _, name := range e.called(call) {
		for _, at := range places {
			steps[at].Accesses = append(steps[at].Accesses, interleaving.Access{Place: "journal " + name})
		}
	}
}

// turn takes one turn in.
func (i *inside) turn(each *exchange) interleaving.Effect {
	before, after := status(each)
	if !before && after {
		i.open++
	}
	ends := before && !after
	if ends {
		i.open--
	}
	wrote := i.wrote
	if ends && i.open <= 0 {
		i.open, i.wrote = 0, false
	}
	label := each.asked.Label
	switch {
	case each.told == nil:
	case ends && (label == "commit" || label == "rollback"):
		if wrote {
			return interleaving.Publish
		}
		return interleaving.Close
	case each.asked.Effect == event.Begins:
		return interleaving.Begin
	case each.asked.Effect == event.Reads && !ends:
		return interleaving.Read
	case label == "savepoint" || label == "release" || label == "rollback to":
		return interleaving.Write
	case each.asked.Effect == event.Changes && after:
		i.wrote = true
		return interleaving.Write
	case each.asked.Effect == event.Changes:
		return interleaving.Publish
	}
	i.wrote, i.anything = i.open > 0, true
	return interleaving.Anything
}

var transactionStatus = regexp.MustCompile(`\(([ITE])>([ITE])\)`)

// status tells whether a transaction was open before and after a turn, by what the server said: it
// says nothing where none was.
func status(each *exchange) (before, after bool) {
	if each.told == nil {
		return false, false
	}
	found := transactionStatus.FindStringSubmatch(each.told.Detail)
	if found == nil {
		return false, false
	}
	return found[1] != "I", found[2] != "I"
}

// leaving is what a worker's end does: it gives up its sessions, with what they hold.
func (e *effects) leaving(worker string) []interleaving.Access {
	var all []interleaving.Access
	for name, own := range e.sessions {
		if name.worker == worker && (own.open > 0 || own.anything) {
			all = append(all, interleaving.Access{Place: "database " + name.database})
		}
	}
	slices.SortFunc(all, func(a, b interleaving.Access) int {
		return strings.Compare(a.Place, b.Place)
	})
	return all
}
