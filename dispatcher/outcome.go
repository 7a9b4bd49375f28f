package dispatcher

import "time"

// situation is what was known at the claim of the attempt whose outcome is judged.
type situation struct {
	Mode       Mode
	Uncertain  bool // an earlier attempt may have been accepted
	BudgetLeft bool // another call may follow this one
	LostHolder bool // an earlier attempt ended only because its lease did
	SeesAtOnce bool // the contract's promise about queries
	SettleLeft time.Duration
}

// verdict is what an observation makes of the task.
type verdict struct {
	State     State
	Uncertain bool
	Parked    bool
	// Wait is the time to the next attempt; 0 leaves it to the worker's retry delay.
	Wait time.Duration
}

// judge maps one observation to the task's next state (specification, table "Finish").
func judge(observed Observation, s situation) verdict {
	switch observed.Outcome {
	case Accepted, AcceptedReplay, QueryFound:
		return verdict{State: Sent}
	case HTTP5xx, Throttled:
		return judgeRefusal(s, observed.RetryAfter)
	case Rejected:
		return judgeRejection(s)
	case QueryNotFound:
		return judgeNotFound(s)
	}
	return judgeSilence(s)
}

// judgeSilence is for an attempt after which nobody here knows whether the channel accepted.
func judgeSilence(s situation) verdict {
	return stillUnknown(!s.BudgetLeft || s.Mode == Neither)
}

// judgeRefusal is for a promised "not accepted, try again". It speaks of this request alone: an
// earlier one may have been accepted all the same. A channel that does not promise to refuse
// before it accepts must not get here; see Contract.BeforeAcceptance.
func judgeRefusal(s situation, retryAfter time.Duration) verdict {
	if s.Uncertain {
		refused := stillUnknown(!s.BudgetLeft)
		refused.Wait = retryAfter
		return refused
	}
	return certainlyNotAccepted(s, retryAfter)
}

// judgeRejection is for a promised "never": asking again is of no use.
func judgeRejection(s situation) verdict {
	if s.Uncertain {
		return stillUnknown(true)
	}
	return verdict{State: Failed}
}

// judgeNotFound is for a query that found nothing. It clears the doubt only when every request
// that it could have missed has ended by itself and would have been seen.
func judgeNotFound(s situation) verdict {
	if s.SeesAtOnce && !s.LostHolder {
		return certainlyNotAccepted(s, 0)
	}
	unseen := stillUnknown(!s.BudgetLeft)
	unseen.Wait = s.SettleLeft
	return unseen
}

// certainlyNotAccepted is the only way to a terminal "not sent" after a spent budget.
func certainlyNotAccepted(s situation, wait time.Duration) verdict {
	if !s.BudgetLeft {
		return verdict{State: Failed}
	}
	return verdict{State: Pending, Wait: wait}
}

func stillUnknown(parked bool) verdict {
	return verdict{State: Unknown, Uncertain: true, Parked: parked}
}

// scheduled tells whether a worker may claim the task again, and so whether it gets a next time.
func (v verdict) scheduled() bool {
	return (v.State == Pending || v.State == Unknown) && !v.Parked
}
