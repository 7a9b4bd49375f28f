package wire

import (
	"slices"

	"lostreply/harness/event"
)

// happening is a turn at one of its phases, as the history tells it.
type happening struct {
	phase  event.Phase
	names  []string
	label  string
	detail string
	effect event.Effect // at its request
	idle   bool
}

// asked is the turn whose request waits for the gate. A turn that reaches the server in several
// parts (a Flush between them) has a request for each, and each name is counted once.
func (t *turns) asked(incomplete bool) happening {
	p := &t.part
	h := happening{
		phase: event.Request, names: p.names, label: p.labels.String(), effect: p.effect(),
	}
	g := t.openGroup()
	if g != nil && g.executes {
		h.names = nil
		for _, name := range p.names {
			if !slices.Contains(g.names, name) {
				h.names = append(h.names, name)
			}
		}
	}
	switch {
	case incomplete:
		h.detail = "too large to withhold: all of it had not arrived"
	case p.cutOff:
		h.detail = "too long to be examined to its end"
	case !p.closes:
		h.detail = "flushed"
	}
	h.idle = p.ends && p.labels.count == 1 && len(p.spoken) == 1 &&
		len(p.spoken[0].statements) == 1 && len(t.queue) == 0 && t.status == 'T' &&
		t.spent.polled && !t.spent.worked
	return h
}

// told is the turn that the server has just finished.
func (t *turns) told() happening {
	g := t.answered
	h := happening{phase: event.Response, names: g.names, label: g.labels.String(), idle: g.idle}
	detail := make([]byte, 0, len(g.outcome.text)+16)
	detail = append(detail, g.outcome.text...)
	if g.before != g.after || g.after != 'I' {
		detail = append(detail, ' ', '(', g.before, '>', g.after, ')')
	}
	if g.streams {
		detail = append(detail, " too large to withhold: the worker has seen its rows"...)
	}
	h.detail = string(detail)
	return h
}
