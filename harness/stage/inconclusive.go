package stage

// Inconclusive is why a step says nothing about the system: a hold that was not reached, a deadline
// that passed, a kill that killed nothing. It is neither a failure of the system nor a pass.
type Inconclusive struct {
	Reason string
	// Seen is what was there instead: events, last lines.
	Seen []string
	// Hung is the worker whose end was waited for until the deadline; empty for every other reason.
	Hung string
}

// Error is the reason.
func (i Inconclusive) Error() string { return i.Reason }
