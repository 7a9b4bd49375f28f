package dispatcher

// chooseAction picks what to do about a task that may be called (specification, table "Claim").
// absent says that the last thing heard was a query's "not found", asked when its answer counted.
func chooseAction(mode Mode, uncertain, absent bool) Action {
	switch {
	case !uncertain:
		return Send
	case mode == Idempotent:
		return Send // under the same key
	case mode == Queryable && absent:
		return Send
	case mode == Queryable:
		return Query
	}
	return None
}
