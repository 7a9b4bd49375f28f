package wire

// releaseRequest gives the server the turn that it has not seen.
func (c *connection) releaseRequest(requests *intake) error {
	c.mutex.Lock()
	c.turns.forwarded()
	c.mutex.Unlock()
	requests.pass()
	return requests.flush(c.server)
}

// releaseAnswer gives the worker the answer that it was not told.
func (c *connection) releaseAnswer(answers *intake) error {
	answers.pass()
	return answers.flush(c.client)
}
