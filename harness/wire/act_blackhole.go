package wire

// blackHole keeps the connection open and says nothing more on it, either way, until the listener's
// Close. Like a network that swallows everything, it does not tell the server when the worker gives
// up: the backend stays, with its locks.
func (c *connection) blackHole() { c.silence() }
