package wire

import "fmt"

// verdict is what a pump does with the frame that it has just read.
type verdict int

const (
	keep    verdict = iota // withhold it with what is withheld already
	pass                   // let it and everything withheld go at once
	ask                    // a turn is at one of its phases: everything withheld is the gate's
	drop                   // throw it away; the worker never asked for it
	replace                // answer the worker with the failure that the scenario wants, in its place
)

// turns builds turns out of the frames of one connection. It is pure: it holds no socket, and what
// it remembers is bounded, whatever comes. Requests and answers take turns under the connection's
// lock.
//
// What a worker sends is collected into parts. A part ends where the server may be expected to act:
// at a Query, a Sync, a Flush, or anything that cannot wait (COPY data). A part that executes
// something waits for the gate; every other passes at once.
type turns struct {
	reader   *reader
	memory   memory
	part     part
	queue    []*group // what the server has been given and has not answered
	room     []*group // where the queue begins, of a driver that does not run ahead
	answered *group   // the turn that the last ask of answer was about
	spare    *group   // for the next one: fresh memory for each costs more than judging it
	status   byte     // of the last ReadyForQuery: I, T or E; 0 before the first
	spent    spent
	// copying: COPY data came since the last group's end. skipping: the part before was failed, and
	// the server throws away what comes before the next Sync.
	copying, skipping bool
	undecided         []string
	times             []BoundTime // among the parameters since the last ask
}

// spent is what the open transaction has been so far: turns that did something, turns that found
// nothing to do.
type spent struct{ worked, polled bool }

func newTurns(r *reader) *turns {
	return &turns{reader: r, memory: newMemory(), queue: []*group{{complete: true}}}
}

// loggedIn begins at a login's end: the server is ready.
func (t *turns) loggedIn() { t.queue, t.status = nil, 'I' }

// request judges one frame of the worker.
func (t *turns) request(f frame) verdict {
	if t.skipping {
		return t.skip(f)
	}
	switch f.kind {
	case 'P':
		t.parse(f)
	case 'B':
		t.bind(f)
	case 'D':
		t.describe(f)
	case 'E':
		t.execute(f)
	case 'C':
		t.forget(f)
	case 'Q':
		t.query(f)
		return t.endPart(true)
	case 'S':
		return t.sync()
	case 'F': // FunctionCall: executes no statement, and is answered with a ReadyForQuery of its own
		t.part.messages++
		return t.endPart(true)
	case 'd', 'c', 'f':
		t.copying = true
		return t.endPart(false)
	default:
		return t.endPart(false)
	}
	t.part.messages++
	t.part.extended = true
	return keep
}

// overflow ends a part early that has become too large to withhold.
func (t *turns) overflow() verdict { return t.endPart(t.part.closes) }

func (t *turns) endPart(closes bool) verdict {
	t.part.closes = closes
	if t.part.executes {
		return ask
	}
	t.forwarded()
	return pass
}

// sync ends a group. The Sync that follows COPY data ends the group that began the COPY: the server
// has ignored the Sync before it.
func (t *turns) sync() verdict {
	copied := t.copying && t.part.messages == 0
	t.copying = false
	if !copied {
		t.part.extended = true
		return t.endPart(true)
	}
	if g := t.openGroup(); g != nil {
		g.complete = true
		return pass
	}
	for _, g := range t.queue {
		if g.absorbsSync {
			g.absorbsSync = false
			return pass
		}
	}
	t.queue = append(t.queue, &group{complete: true, endsCopy: true})
	return pass
}

func (t *turns) skip(f frame) verdict {
	if f.kind == 'S' {
		t.skipping = false
		if g := t.openGroup(); g != nil {
			g.complete = true
		}
	}
	return pass
}

// openGroup is the group whose Sync has not been forwarded yet, of which the server has been given
// something.
func (t *turns) openGroup() *group {
	if len(t.queue) == 0 {
		return nil
	}
	if last := t.queue[len(t.queue)-1]; !last.complete {
		return last
	}
	return nil
}

// newGroup appends an empty group to what the server has to answer.
func (t *turns) newGroup() *group {
	g := t.spare
	t.spare = nil
	if g == nil {
		g = &group{}
	}
	t.queue = append(t.queue, g)
	if len(t.queue) == 1 {
		t.room = t.queue
	}
	return g
}

// forwarded hands the part over: the server is given it now.
func (t *turns) forwarded() {
	p := t.part
	t.part = part{}
	if p.messages == 0 && !p.closes {
		return
	}
	g := t.openGroup()
	if g == nil {
		g = t.newGroup()
	}
	g.take(p)
}

// failed takes the part away from the server for good, and returns what the server is sent instead,
// so that its transaction and the answer's status are what a real failure would have left.
func (t *turns) failed(sqlState string) []byte {
	p := t.part
	t.part = part{}
	g := t.openGroup()
	atRest := len(t.queue) == 0
	if g == nil {
		g = t.newGroup()
	}
	g.failing = sqlState
	g.executes = false
	g.complete = p.closes
	t.skipping = !p.closes
	if p.closes && atRest && t.status != 'I' && p.first != nil && p.first.ends {
		g.rolledBack = true // a COMMIT that fails ends its transaction
		return appendFrame(nil, 'Q', []byte("ROLLBACK\x00"))
	}
	if !p.extended {
		return appendFrame(nil, 'Q', []byte(failingText+"\x00"))
	}
	end := byte('H')
	if p.closes {
		end = 'S'
	}
	return appendFrame(appendFrame(nil, 'P', []byte("\x00"+failingText+"\x00\x00\x00")), end)
}

// failingText is no SQL: it fails in any state of a transaction, and says why in the server's log.
const failingText = "lostreply failed this turn on purpose, as the scenario says"

func (t *turns) parse(f frame) {
	body := cursor{f.body}
	name, text := body.text(), body.text()
	cutOff := !body.good()
	if cutOff {
		body = cursor{f.body}
		name = body.text()
		text = body.rest
	}
	p := &prepared{script: t.reader.read(text, cutOff)}
	for range body.int16() {
		oid := uint32(body.int32())
		if !body.good() {
			break
		}
		p.oids = append(p.oids, oid)
	}
	t.memory.prepare(string(name), p, len(text))
}

func (t *turns) bind(f frame) {
	names, _ := readBind(f, nil, false)
	p := t.memory.prepared[string(names.statement)]
	if p == nil {
		t.memory.open(string(names.portal), execution{script: outOfSight})
		return
	}
	bound := execution{script: p.script}
	bound.names = p.script.names
	watched := t.reader.times.Load()
	if p.script.asksParams || watched {
		decoded, _ := readBind(f, p.oids, true)
		if p.script.asksParams {
			bound.names = t.judge(p.script, decoded.params)
		}
		if watched {
			t.noteTimes(p.script, decoded.params)
		}
	}
	t.memory.open(string(names.portal), bound)
}

// judge finds the names of a script whose named events ask for parameters.
func (t *turns) judge(s *script, params []param) []string {
	var names []string
	for _, own := range s.statements {
		for _, match := range own.matches {
			outcome, number := match.compare(params)
			switch outcome {
			case equals:
				names = append(names, match.Name)
			case undecidable:
				t.undecide(fmt.Sprintf("event %s: the type of parameter $%d of %q is not one "+
					"that can be compared (text, integer, uuid)", match.Name, number, own.Label))
			}
		}
	}
	return names
}

// undecidedKept bounds how many of the questions that could not be answered are kept.
const undecidedKept = 100

func (t *turns) undecide(reason string) {
	if len(t.undecided) < undecidedKept {
		t.undecided = append(t.undecided, reason)
	}
}

func (t *turns) describe(f frame) {
	if len(f.body) < 1 || f.body[0] != 'S' {
		return
	}
	body := cursor{f.body[1:]}
	t.part.describes = append(t.part.describes, t.memory.prepared[string(body.text())])
}

func (t *turns) execute(f frame) {
	body := cursor{f.body}
	bound, known := t.memory.portals[string(body.text())]
	if !known {
		bound = execution{script: outOfSight}
	}
	t.part.add(bound)
}

func (t *turns) forget(f frame) {
	if len(f.body) < 1 {
		return
	}
	body := cursor{f.body[1:]}
	name := string(body.text())
	if f.body[0] == 'S' {
		t.memory.forget(name)
	} else {
		delete(t.memory.portals, name)
	}
}

func (t *turns) query(f frame) {
	body := cursor{f.body}
	text := body.text()
	cutOff := !body.good()
	if cutOff {
		text = f.body
	}
	t.copying = false
	t.part.messages++
	read := t.reader.read(text, cutOff)
	if read.asksParams {
		t.undecide(fmt.Sprintf("%q: an event that it may be names parameters, and this driver "+
			"writes their values into the statement", read.label))
	}
	t.part.add(execution{script: read, names: read.names})
}
