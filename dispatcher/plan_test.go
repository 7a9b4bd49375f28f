package dispatcher

import (
	"testing"
	"time"
)

// dueNow is a task without any trouble; the rows below each change one thing or two.
func dueNow(changes ...func(*dueTask)) dueTask {
	due := dueTask{ID: 7, Channel: "sms", MaxAttempts: 3, Enabled: true, PreferredAddress: "a"}
	for _, change := range changes {
		change(&due)
	}
	return due
}

func doubtful(due *dueTask)  { due.OutcomeUncertain, due.Attempts = true, 1 }
func lostLease(due *dueTask) { due.LeaseExpired, due.Attempts = true, 1 }
func disabled(due *dueTask)  { due.Enabled = false }
func addressed(due *dueTask) { due.PreferredAddress = "" }
func expired(due *dueTask)   { due.Expired = true }
func exhausted(due *dueTask) { due.Attempts = due.MaxAttempts }

func TestPlanClaim(t *testing.T) {
	late := history{{
		Action: Send, Outcome: LeaseExpired, LateOutcome: Accepted, LateMessageID: "m-1",
	}}
	notLate := history{{Action: Send, Outcome: LeaseExpired, LateOutcome: Timeout}}
	sms, push := SMS("http://sms"), Push("http://push")
	fax := Contract{Channel: "fax", Mode: Neither, URL: "http://fax"}
	for _, row := range []struct {
		name     string
		due      dueTask
		past     history
		contract Contract
		want     plan
	}{
		{"fresh", dueNow(), nil, sms, plan{Action: Send}},
		{"in doubt", dueNow(doubtful), nil, sms, plan{Action: Query}},
		{"lease lost", dueNow(lostLease), notLate, sms, plan{Action: Query}},
		{"lease lost, idempotent", dueNow(lostLease), nil, push, plan{Action: Send}},
		{"lease lost, neither", dueNow(lostLease), nil, fax, ends("NO_SAFE_ACTION_UNCERTAIN", Unknown)},
		{"off", dueNow(disabled), nil, sms, ends("PREF_DISABLED", Suppressed)},
		{"off in doubt", dueNow(disabled, doubtful), nil, sms, ends("PREF_DISABLED_UNCERTAIN", Unknown)},
		{"off, lease lost", dueNow(disabled, lostLease), nil, sms,
			ends("PREF_DISABLED_UNCERTAIN", Unknown)},
		{"no address", dueNow(addressed), nil, sms, ends("PREF_DISABLED", Suppressed)},
		{"expired", dueNow(expired), nil, sms, ends("TTL_EXPIRED", Failed)},
		{"expired in doubt", dueNow(expired, doubtful), nil, sms,
			ends("TTL_EXPIRED_UNCERTAIN", Unknown)},
		{"off before expired", dueNow(expired, disabled), nil, sms, ends("PREF_DISABLED", Suppressed)},
		{"no budget", dueNow(exhausted), nil, sms, ends("BUDGET_SPENT", Failed)},
		{"no budget, lease lost", dueNow(lostLease, exhausted), nil, push,
			ends("BUDGET_SPENT_UNCERTAIN", Unknown)},
		{"expired before no budget", dueNow(exhausted, expired), nil, sms, ends("TTL_EXPIRED", Failed)},
		{"late acceptance", dueNow(doubtful), late, sms, plan{Action: None, Ending: ending{
			Outcome: LateAccepted, State: Sent, MessageID: "m-1"}}},
		{"late acceptance first", dueNow(disabled, expired, exhausted), late, push, plan{Action: None,
			Ending: ending{Outcome: LateAccepted, State: Sent, MessageID: "m-1"}}},
	} {
		if got := planClaim(row.due, row.past, row.contract); got != row.want {
			t.Errorf("%s:\n got %+v\nwant %+v", row.name, got, row.want)
		}
	}
}

func ends(outcome Outcome, state State) plan {
	return plan{Action: None, Ending: ending{Outcome: outcome, State: state}}
}

func TestBudget(t *testing.T) {
	for _, row := range []struct {
		attempts, maxAttempts int
		want                  bool
	}{{0, 1, true}, {1, 1, false}, {2, 3, true}, {3, 3, false}, {4, 3, false}} {
		if got := budgetLeft(row.attempts, row.maxAttempts); got != row.want {
			t.Errorf("%d of %d: %t, want %t", row.attempts, row.maxAttempts, got, row.want)
		}
	}
}

func TestProvesAbsence(t *testing.T) {
	sentAndAsked := history{
		{Action: Send, Outcome: Timeout, EndedAgo: 40 * time.Second},
		{Action: Query, Outcome: QueryNotFound, StartedAgo: 10 * time.Second, EndedAgo: 9 * time.Second},
	}
	sentSince := append(sentAndAsked[:2:2], pastAttempt{Action: Send, Outcome: LeaseExpired})
	for _, row := range []struct {
		name   string
		past   history
		settle time.Duration
		want   bool
	}{
		{"nothing yet", nil, 0, false},
		{"asked at once", sentAndAsked, 0, true},
		{"asked exactly when it was settled", sentAndAsked, 30 * time.Second, true},
		{"asked too early", sentAndAsked, 30*time.Second + time.Microsecond, false},
		{"sent since", sentSince, 0, false},
		{"not asked", sentAndAsked[:1], 0, false},
	} {
		if got := row.past.provesAbsence(row.settle); got != row.want {
			t.Errorf("%s: %t, want %t", row.name, got, row.want)
		}
	}
}

func TestSettleLeft(t *testing.T) {
	past := history{
		{Action: Send, EndedAgo: 50 * time.Second},
		{Action: Send, EndedAgo: 10 * time.Second},
		{Action: Query, EndedAgo: 0},
	}
	for settle, want := range map[time.Duration]time.Duration{
		0: 0, 10 * time.Second: 0, 30 * time.Second: 20 * time.Second, 5 * time.Second: 0,
	} {
		if got := past.settleLeft(settle); got != want {
			t.Errorf("settle %s: %s left, want %s", settle, got, want)
		}
	}
}
