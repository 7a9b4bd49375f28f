package wire

// abandon: the worker is dead, or as good as dead. Nothing more goes either way; the listener's
// Close lets the backend go.
func (c *connection) abandon() { c.silence() }
