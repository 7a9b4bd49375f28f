package dispatcher

// plan is what a claim has decided about a task: a call, or an ending without one.
type plan struct {
	Action Action
	Ending ending // valid when Action is None
}

// ending settles or parks a task without a call.
type ending struct {
	Outcome   Outcome
	State     State
	MessageID string
}

// parked tells whether the ending leaves the task to a person.
func (e ending) parked() bool { return e.State == Unknown }

// planClaim decides what becomes of a due task. The first guard that speaks wins.
func planClaim(due dueTask, past history, contract Contract) plan {
	guards := []func(dueTask, history) (ending, bool){
		guardLateAcceptance, guardPreference, guardExpiry, guardBudget,
	}
	for _, guard := range guards {
		if stop, stopped := guard(due, past); stopped {
			return plan{Action: None, Ending: stop}
		}
	}
	action := chooseAction(contract.Mode, uncertain(due), past.provesAbsence(contract.Settle))
	if action == None {
		return plan{Action: None, Ending: endWithoutCall(NoSafeAction, Failed, uncertain(due))}
	}
	return plan{Action: action}
}

// uncertain tells whether an earlier attempt may have been accepted: it said so itself, or nothing
// was heard of its holder.
func uncertain(due dueTask) bool { return due.OutcomeUncertain || due.LeaseExpired }

// guardLateAcceptance ends a task whose acceptance was reported after the attempt had been
// superseded: the report could not count then, but it is known now.
func guardLateAcceptance(_ dueTask, past history) (ending, bool) {
	messageID, accepted := past.lateAcceptance()
	return ending{Outcome: LateAccepted, State: Sent, MessageID: messageID}, accepted
}

// guardPreference ends a task that its user no longer wants, or that has nowhere to go.
func guardPreference(due dueTask, _ history) (ending, bool) {
	stopped := !due.Enabled || due.PreferredAddress == ""
	return endWithoutCall(PrefDisabled, Suppressed, uncertain(due)), stopped
}

// guardExpiry ends a task whose notification is of no use any more.
func guardExpiry(due dueTask, _ history) (ending, bool) {
	return endWithoutCall(TTLExpired, Failed, uncertain(due)), due.Expired
}

// guardBudget ends a task that has no call left. A worker that dies in every call gets here.
func guardBudget(due dueTask, _ history) (ending, bool) {
	spent := !budgetLeft(due.Attempts, due.MaxAttempts)
	return endWithoutCall(BudgetSpent, Failed, uncertain(due)), spent
}

// budgetLeft tells whether another call may follow.
func budgetLeft(attempts, maxAttempts int) bool { return attempts < maxAttempts }

// endWithoutCall writes a terminal "not sent" only for a task that was certainly never accepted;
// one that may have been is parked.
func endWithoutCall(why Outcome, certain State, uncertain bool) ending {
	if uncertain {
		return ending{Outcome: why + uncertainSuffix, State: Unknown}
	}
	return ending{Outcome: why, State: certain}
}
