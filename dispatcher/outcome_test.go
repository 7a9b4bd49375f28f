package dispatcher

import (
	"fmt"
	"testing"
	"time"
)

// The table "Finish" of the specification, row by row. Each situation begins from a push or sms
// task in doubt or not, with or without budget.
func TestJudge(t *testing.T) {
	var (
		sent       = verdict{State: Sent}
		pending    = verdict{State: Pending}
		failed     = verdict{State: Failed}
		unknown    = verdict{State: Unknown, Uncertain: true}
		parked     = verdict{State: Unknown, Uncertain: true, Parked: true}
		later      = verdict{State: Unknown, Uncertain: true, Wait: time.Minute}
		certain    = situation{Mode: Queryable, BudgetLeft: true, SeesAtOnce: true}
		spent      = situation{Mode: Queryable, SeesAtOnce: true}
		doubt      = situation{Mode: Queryable, Uncertain: true, BudgetLeft: true, SeesAtOnce: true}
		doubtSpent = situation{Mode: Queryable, Uncertain: true, SeesAtOnce: true}
		neither    = situation{Mode: Neither, BudgetLeft: true}
		push       = situation{Mode: Idempotent, BudgetLeft: true}
		lost       = with(doubt, func(s *situation) { s.LostHolder = true })
		lostSpent  = with(doubtSpent, func(s *situation) { s.LostHolder = true })
		settling   = with(doubt, func(s *situation) { s.SeesAtOnce, s.SettleLeft = false, time.Minute })
		settled    = with(doubt, func(s *situation) { s.SeesAtOnce = false })
		settledEnd = with(doubtSpent, func(s *situation) { s.SeesAtOnce = false })
	)
	for _, row := range []struct {
		outcomes  []Outcome
		situation situation
		want      verdict
	}{
		{[]Outcome{Accepted, AcceptedReplay, QueryFound}, certain, sent},
		{[]Outcome{Accepted, AcceptedReplay, QueryFound}, doubtSpent, sent},
		{[]Outcome{Accepted}, neither, sent},
		{[]Outcome{Timeout, IOError, QueryFailed, Unpromised}, certain, unknown},
		{[]Outcome{Timeout, IOError, QueryFailed, Unpromised}, doubt, unknown},
		{[]Outcome{Timeout, IOError, QueryFailed, Unpromised}, spent, parked},
		{[]Outcome{Timeout, IOError, QueryFailed, Unpromised}, doubtSpent, parked},
		{[]Outcome{Timeout, IOError, Unpromised}, neither, parked},
		{[]Outcome{Timeout, IOError, Unpromised}, push, unknown},
		{[]Outcome{"something new"}, certain, unknown},
		{[]Outcome{HTTP5xx, Throttled}, certain, pending},
		{[]Outcome{HTTP5xx, Throttled}, neither, pending},
		{[]Outcome{HTTP5xx, Throttled}, spent, failed},
		{[]Outcome{HTTP5xx, Throttled}, doubt, unknown},
		{[]Outcome{HTTP5xx, Throttled}, doubtSpent, parked},
		{[]Outcome{Rejected}, certain, failed},
		{[]Outcome{Rejected}, spent, failed},
		{[]Outcome{Rejected}, doubt, parked},
		{[]Outcome{Rejected}, doubtSpent, parked},
		{[]Outcome{QueryNotFound}, doubt, pending},
		{[]Outcome{QueryNotFound}, doubtSpent, failed},
		{[]Outcome{QueryNotFound}, lost, unknown},
		{[]Outcome{QueryNotFound}, lostSpent, parked},
		{[]Outcome{QueryNotFound}, settled, unknown},
		{[]Outcome{QueryNotFound}, settledEnd, parked},
		{[]Outcome{QueryNotFound}, settling, later},
	} {
		for _, outcome := range row.outcomes {
			got := judge(Observation{Outcome: outcome}, row.situation)
			if got != row.want {
				t.Errorf("%s in %+v:\n got %+v\nwant %+v", outcome, row.situation, got, row.want)
			}
		}
	}
}

func with(s situation, change func(*situation)) situation {
	change(&s)
	return s
}

// Whatever is seen in whatever situation: "not sent" is never written in doubt, but for a query
// that cleared it; what is parked is not scheduled; what is not scheduled is settled or parked.
func TestJudgeNeverWritesNotSentInDoubt(t *testing.T) {
	outcomes := []Outcome{
		Accepted, AcceptedReplay, QueryFound, QueryNotFound, QueryFailed, Timeout, IOError,
		HTTP5xx, Throttled, Rejected, Unpromised,
	}
	for _, s := range situations() {
		for _, outcome := range outcomes {
			got := judge(Observation{Outcome: outcome, RetryAfter: time.Hour}, s)
			label := fmt.Sprintf("%s in %+v: %+v", outcome, s, got)
			cleared := outcome == QueryNotFound && s.SeesAtOnce && !s.LostHolder
			if s.Uncertain && !cleared && got.State != Sent && !got.Uncertain {
				t.Errorf("the doubt is gone: %s", label)
			}
			if got.Uncertain != (got.State == Unknown) || (got.Parked && got.State != Unknown) {
				t.Errorf("contradiction: %s", label)
			}
			if got.scheduled() && !s.BudgetLeft {
				t.Errorf("scheduled without budget: %s", label)
			}
			if got.State == Unknown && got.scheduled() == got.Parked {
				t.Errorf("neither scheduled nor parked, or both: %s", label)
			}
		}
	}
}

func situations() []situation {
	var all []situation
	for bits := range 16 {
		for _, mode := range []Mode{Idempotent, Queryable, Neither} {
			all = append(all, situation{
				Mode: mode, Uncertain: bits&1 != 0, BudgetLeft: bits&2 != 0,
				LostHolder: bits&4 != 0, SeesAtOnce: bits&8 != 0,
			})
		}
	}
	return all
}

func TestJudgeHonoursRetryAfter(t *testing.T) {
	seen := Observation{Outcome: Throttled, RetryAfter: 90 * time.Second}
	for _, uncertain := range []bool{false, true} {
		got := judge(seen, situation{Mode: Idempotent, BudgetLeft: true, Uncertain: uncertain})
		if got.Wait != 90*time.Second {
			t.Errorf("uncertain=%t: wait %s, want 1m30s", uncertain, got.Wait)
		}
	}
}
