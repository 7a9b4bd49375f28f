package wire

import "encoding/binary"

// answer judges one frame of the server.
func (t *turns) answer(f frame) verdict {
	if len(t.queue) == 0 {
		return pass // nothing was asked: a notification, a notice, a setting, or the server's end
	}
	g := t.queue[0]
	if f.kind == 'Z' {
		return t.ready(g, f)
	}
	if g.failing != "" {
		t.answered = g
		return g.answerFailing(f)
	}
	switch f.kind {
	case 'C':
		body := cursor{f.body}
		g.outcome.tag(body.text())
	case 'E':
		g.outcome.worked = true
		g.outcome.say(errorField(f.body, 'C'))
		g.describes = nil
	case 't':
		g.learn(f)
	case 'G':
		t.copyIn(g)
		return pass
	case 'W':
		return pass
	}
	if !g.withholds() || g.streams && !endsStatement(f.kind) {
		return pass
	}
	return keep
}

// endsStatement tells the messages that say what became of a statement. Of an answer that streams
// these alone are withheld.
func endsStatement(kind byte) bool {
	return kind == 'C' || kind == 'E' || kind == 's' || kind == 'I'
}

// stream gives up withholding the answer at the head: it has become too large.
func (t *turns) stream() {
	if len(t.queue) > 0 {
		t.queue[0].streams = true
	}
}

func (t *turns) ready(g *group, f frame) verdict {
	g.before, g.after = t.status, 'I'
	if len(f.body) > 0 {
		g.after = f.body[0]
	}
	t.status = g.after
	if done := t.answered; done != nil && done != g { // nobody looks at it any more
		*done = group{}
		t.answered, t.spare = nil, done
	}
	t.queue[0] = nil
	if t.queue = t.queue[1:]; len(t.queue) == 0 {
		t.queue = t.room[:0]
	}
	if len(t.queue) == 0 && t.part.messages == 0 && t.status == 'I' {
		clear(t.memory.portals) // portals end with their transaction
	}
	switch {
	case g.rolledBack:
		t.spent = spent{}
		t.answered = g
		return replace
	case !g.executes:
		return pass
	}
	g.idle = t.judgeIdle(g)
	t.answered = g
	return ask
}

// judgeIdle tells whether a turn found nothing to do, and brings what the transaction was so far up
// to date. A COMMIT or ROLLBACK is idle when all of its transaction was.
func (t *turns) judgeIdle(g *group) bool {
	o := &g.outcome
	polled := o.empty && !g.hidden
	worked := o.worked || o.empty && g.hidden
	t.spent.worked = t.spent.worked || worked
	t.spent.polled = t.spent.polled || polled
	idle := !worked && (polled || g.ends && t.spent.polled)
	if g.ends && t.spent.worked {
		idle = false
	}
	if g.after == 'I' {
		t.spent = spent{}
	}
	return idle
}

// learn notes the types that the server found for a statement's parameters.
func (g *group) learn(f frame) {
	if len(g.describes) == 0 {
		return
	}
	p := g.describes[0]
	g.describes = g.describes[1:]
	body := cursor{f.body}
	count := body.int16()
	if p == nil || !f.whole() || len(body.rest) != 4*count {
		return
	}
	p.oids = p.oids[:0]
	for i := range count {
		p.oids = append(p.oids, binary.BigEndian.Uint32(body.rest[4*i:]))
	}
}

// copyIn: the server wants COPY data. A group of the extended protocol has sent its Sync already,
// and the server is going to ignore it.
func (t *turns) copyIn(g *group) {
	if !g.extended || !g.complete {
		return
	}
	for i, later := range t.queue {
		if later.endsCopy {
			t.queue = append(t.queue[:i], t.queue[i+1:]...)
			return
		}
	}
	g.absorbsSync = true
}

// answerFailing replaces the server's own error by the one that the scenario wants.
func (g *group) answerFailing(f frame) verdict {
	switch {
	case f.kind == 'A' || f.kind == 'N' || f.kind == 'S':
		return pass
	case g.rolledBack:
		return drop
	case f.kind == 'E':
		return replace
	}
	return pass
}

// errorField is one field of an ErrorResponse.
func errorField(body []byte, wanted byte) []byte {
	fields := cursor{body}
	for fields.good() && len(fields.rest) > 0 && fields.rest[0] != 0 {
		kind := fields.rest[0]
		fields.rest = fields.rest[1:]
		if value := fields.text(); kind == wanted {
			return value
		}
	}
	return nil
}
