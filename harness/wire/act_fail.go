package wire

import (
	"bytes"

	"lostreply/harness/gate"
)

// failureText is what the worker reads of a failure that the scenario wanted.
const failureText = "lostreply: this turn fails, as the scenario says"

// failRequest keeps a turn from the server and lets it fail: the server is sent something that
// fails as the turn would have, so that its transaction is what the worker is told, and pumpAnswers
// replaces its error by the wanted one.
func (c *connection) failRequest(act gate.Act, requests *intake) error {
	requests.drop()
	c.confirmLater(act)
	c.mutex.Lock()
	instead := c.turns.failed(act.SQLState)
	c.mutex.Unlock()
	_, err := c.server.Write(instead)
	return err
}

// answerFailure writes the wanted error in the place of the server's, or, where the server was told
// to roll back, before its ReadyForQuery.
func (c *connection) answerFailure(answers *intake, answer frame) error {
	message := errorResponse("ERROR", c.turns.answered.failing, failureText)
	if answer.kind == 'Z' {
		message = appendFrame(message, 'Z', answer.body)
	}
	answers.drop()
	if err := answers.flush(c.client); err != nil {
		return err
	}
	_, err := c.client.Write(message)
	c.confirm()
	return err
}

// failAnswer throws the answer of a turn away that the server is done with, and lets the worker
// think that it failed. The transaction status is the true one.
func (c *connection) failAnswer(sqlState string, answers *intake) error {
	var message []byte
	if answers.spill.size == 0 {
		message = bytes.Clone(untilOutcome(answers.kept()))
	}
	message = append(message, errorResponse("ERROR", sqlState, failureText)...)
	message = appendFrame(message, 'Z', []byte{c.turns.answered.after})
	answers.drop()
	_, err := c.client.Write(message)
	return err
}

// untilOutcome is the beginning of an answer that says nothing of the outcome: what a driver counts
// on to know that its Parse has been done.
func untilOutcome(answer []byte) []byte {
	at := 0
	for {
		next, ok, err := cut(answer[at:], func(byte) bool { return false })
		if !ok || err != nil || at+headerSize+next.size > len(answer) {
			return answer[:at]
		}
		switch next.kind {
		case '1', '2', '3', 't', 'T', 'n':
			at += headerSize + next.size
		default:
			return answer[:at]
		}
	}
}
