package wire

import (
	"encoding/binary"
	"io"
)

// answersNeed are the messages of the server whose body is looked at.
func answersNeed(kind byte) bool {
	switch kind {
	case 'C', 'E', 'K', 'R', 'Z', 't':
		return true
	}
	return false
}

// pumpAnswers carries what the server sends, until its end, or until its backend is given back.
func (c *connection) pumpAnswers() {
	defer close(c.serverDone)
	answers := newIntake(c.server, answersNeed)
	defer answers.spill.empty()
	err := c.forwardAnswers(answers)
	if err != io.EOF && !isOurs(err) { // the worker has gone, or must not be told more
		if !c.silent.Load() {
			_ = c.client.SetReadDeadline(past)
		}
		answers.swallow()
	}
	if c.giveBack(answers) {
		return
	}
	switch {
	case err == io.EOF && !c.silent.Load():
		answers.pass() // what a server said before it died is withheld from no one
		_ = answers.flush(c.client)
	case isOurs(err):
		c.complain("from the server", err)
		_ = halfClose(c.server)
		_, _ = io.Copy(io.Discard, c.server)
	}
}

func (c *connection) forwardAnswers(answers *intake) error {
	for {
		answer, ok, err := answers.next()
		switch {
		case err != nil:
			_ = answers.flush(c.client)
			return err
		case ok:
			err = c.carryAnswer(answers, answer)
		default:
			if err = answers.flush(c.client); err == nil {
				err = ended(answers.fill())
			}
			if c.tooLarge(answers) {
				c.stream(answers)
			}
		}
		if err == nil && c.silent.Load() {
			err = errSilent
		}
		if err != nil {
			return err
		}
	}
}

func (c *connection) carryAnswer(answers *intake, answer frame) error {
	if answer.kind == 'K' || answer.kind == 'R' {
		return c.carryLogin(answers, answer)
	}
	c.mutex.Lock()
	judged := c.turns.answer(answer)
	c.mutex.Unlock()
	switch judged {
	case pass:
		answers.pass()
	case ask:
		return c.askAnswer(answers)
	case drop:
		answers.drop()
	case replace:
		return c.answerFailure(answers, answer)
	}
	return nil
}

// stream gives up withholding an answer that has become too large.
func (c *connection) stream(answers *intake) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.turns.stream()
	answers.pass()
}

// carryLogin looks at the messages of a login: the backend's process id, and the mechanisms
// offered.
func (c *connection) carryLogin(answers *intake, answer frame) error {
	if answer.kind == 'K' && len(answer.body) >= 4 {
		c.backend.Store(binary.BigEndian.Uint32(answer.body))
	}
	offered := answer.kind == 'R' && answer.whole()
	if other := withoutChannelBinding(answer.body); offered && other != nil {
		answers.drop()
		if err := answers.flush(c.client); err != nil {
			return err
		}
		_, err := c.client.Write(other)
		return err
	}
	answers.pass()
	return nil
}

// askAnswer is a turn at its response phase: the server is done, and the worker has been told
// nothing.
func (c *connection) askAnswer(answers *intake) error {
	if err := answers.flush(c.client); err != nil {
		return err
	}
	c.mutex.Lock()
	happening := c.turns.told()
	c.mutex.Unlock()
	c.asking.Lock()
	defer c.asking.Unlock()
	act, err := c.arrive(happening)
	if err != nil && c.ctx.Err() == nil {
		return err
	}
	return c.actOnAnswer(act, answers)
}
