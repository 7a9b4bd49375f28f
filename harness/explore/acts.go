package explore

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/event"
)

// The acts that are tried, as they are printed and as ids hold them.
const (
	actKill      = "kill"
	actSever     = "sever"
	actHangUp    = "hang-up"
	actLostReply = "lost-reply"
	actStop      = "stop"
	actDelay     = "delay"
	actFailed    = "503"
	actConflict  = "fail-40001"
	actShutdown  = "fail-57P01"
	actBlackHole = "black-hole"
)

// act is what can be done at a place. A new one is an entry of acts.
type act struct {
	name string
	// possible tells where it can be done; tells, where it is tried without --full: elsewhere what it
	// leaves is what another leaves that is tried.
	possible, tells func(place) bool
	// story is what happens to the worker.
	story string
	// steps are what follows the hold; nil for an act that the channel's script does, without a hold.
	steps func(c *composer, worker string)
	// kills tells that the worker's life ends with it; spares, that nothing is lost, and so nobody
	// starts it once more.
	kills, spares bool
}

// acts are all acts, in the order in which they are planned at one place.
func acts() []act {
	return []act{
		{name: actKill, possible: anywhere, tells: untilDone, story: "is killed",
			steps: does("kill"), kills: true},
		{name: actSever, possible: turns, tells: anywhere, story: "loses its connection",
			steps: does("sever")},
		{name: actConflict, possible: asked, tells: anywhere, story: "is told 40001, to try again",
			steps: does("fail", pair{"sqlstate", text("40001")})},
		{name: actShutdown, possible: asked, tells: nowhereElse,
			story: "is told 57P01, that the server shuts down",
			steps: does("fail", pair{"sqlstate", text("57P01")})},
		{name: actHangUp, possible: calls(event.Request), tells: anywhere, story: "is hung up on",
			steps: does("sever")},
		{name: actLostReply, possible: calls(event.Response), tells: anywhere,
			story: "never gets the reply", steps: does("sever")},
		{name: actFailed, possible: scripted, tells: anywhere, story: "gets a 503"},
		{name: actStop, possible: anywhere, tells: told, story: "is stopped until its lease is over",
			steps: (*composer).stopped, spares: true},
		{name: actDelay, possible: anywhere, tells: unlocked,
			story: "waits until its lease is over", steps: (*composer).delayed, spares: true},
		{name: actBlackHole, possible: anywhere, tells: nowhereElse, story: "hears nothing any more",
			steps: does("blackhole")},
		{name: actOvertake, possible: nowhereElse, tells: nowhereElse,
			story: "is overtaken by another like it",
			steps: (*composer).overtaken, spares: true},
	}
}

// actNamed is the act of that name.
func actNamed(name string) act {
	all := acts()
	return all[slices.IndexFunc(all, func(a act) bool { return a.name == name })]
}

func anywhere(place) bool    { return true }
func nowhereElse(place) bool { return false }
func turns(p place) bool     { return p.Kind == event.Turn }
func told(p place) bool      { return p.Phase == event.Response }

// asked are turns that have not been done.
func asked(p place) bool { return p.Kind == event.Turn && p.Phase == event.Request }

func calls(phase event.Phase) func(place) bool {
	return func(p place) bool { return p.Kind == event.Call && p.Phase == phase }
}

// scripted are calls that a script can refuse before or after they are accepted. A query accepts
// nothing.
func scripted(p place) bool {
	return p.Kind == event.Call && (p.Phase == event.Request || !p.query())
}

// untilDone is where a kill leaves what no other kill leaves: once something is done, and before
// anything is. At the request of what comes next it leaves what it left right after the last.
func untilDone(p place) bool { return p.Phase == event.Response || p.Fresh }

// unlocked is where a worker that waits keeps nobody else waiting. At a response it is one that is
// stopped there.
func unlocked(p place) bool { return p.Phase == event.Request && !p.Open }

// does is one step with the worker's name, after the hold.
func does(kind string, more ...pair) func(*composer, string) {
	return func(c *composer, worker string) {
		c.add(kind, append([]pair{{"worker", text(worker)}}, more...)...)
	}
}

// stopped lets others go on past every lease while the worker stands still.
func (c *composer) stopped(worker string) {
	c.add("stop", pair{"worker", text(worker)})
	c.meanwhile()
	c.add("continue", pair{"worker", text(worker)})
}

// delayed lets others go on past every lease while what the worker asked for is on its way.
func (c *composer) delayed(worker string) {
	c.meanwhile()
	c.add("release", pair{"worker", text(worker)})
}

// meanwhile is the recovery by programs that may end as they like: another worker has not ended
// yet. One round may only find out that the worker is late, and the second act on it. A fault of
// theirs ends it: what the worker does now meets what they had begun and not brought to its end.
func (c *composer) meanwhile() {
	ahead := len(c.pending)
	for range rounds()[0] {
		c.advance()
		for _, run := range c.workload.recovery.runs {
			run.names = []string{meanwhilePrefix + run.program}
			c.begin(run)
			c.end(run.names[0])
			if len(c.pending) < ahead {
				return
			}
		}
	}
}

// meanwhilePrefix begins the names of the workers that recover while another is held or stopped.
const meanwhilePrefix = "meanwhile-"

// channel is what a channel does: what the faults say, and whatever comes else is accepted.
func (c *composer) channel(name string) *yaml.Node {
	entries := flowList()
	for _, f := range c.script.schedule.faults {
		if f.act != actFailed || f.channel() != name {
			continue
		}
		reply := pair{"reply", flow(pair{"status", number(503)})}
		if f.query() {
			entries.Content = append(entries.Content,
				flow(pair{"query", number(int64(f.number))}, reply))
			continue
		}
		accepted := "false"
		if f.address.Phase == event.Response {
			accepted = "true"
		}
		entries.Content = append(entries.Content,
			flow(pair{"request", number(int64(f.number))}, pair{"accept", bare(accepted)}, reply))
	}
	entries.Content = append(entries.Content, flow(pair{"otherwise", text("any")}))
	return entries
}
