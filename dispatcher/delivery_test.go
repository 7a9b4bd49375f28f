package dispatcher_test

import (
	"net/http"
	"testing"
	"time"

	"lostreply/dispatcher"
)

func TestNormalDelivery(t *testing.T) {
	w := newWorld(t, "push", "sms")
	w.create("e1", 3)
	w.push.plays(accepts("push-msg-1"))
	w.sms.plays(accepts("sms-msg-1"))
	worker := w.worker("a")
	w.run(worker, "SENT")
	w.run(worker, "SENT")
	w.run(worker, "NOTHING")
	w.wantOutcomes("ACCEPTED", "ACCEPTED")
	w.want("SELECT state || ' ' || provider_msg_id FROM delivery_task ORDER BY id",
		"SENT push-msg-1", "SENT sms-msg-1")
	w.wantCalls(w.push, "POST ntf-task-1 to=push-1")
	w.wantCalls(w.sms, "POST ntf-task-2 to=sms-1")
	w.want("SELECT count(*) FROM external_duplicate", "0")
}

func TestPushTimesOutAndIsRepeatedUnderTheSameKey(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.push.plays(hangs, replays("m-1"))
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	w.wantTask("UNKNOWN", false, true)
	w.run(worker, "NOTHING")
	w.age(time.Minute)
	w.run(worker, "SENT")
	w.wantOutcomes("TIMEOUT", "ACCEPTED_REPLAY")
	w.wantTask("SENT", false, false)
	w.wantCalls(w.push, "POST ntf-task-1 to=push-1", "POST ntf-task-1 to=push-1")
	w.want("SELECT count(DISTINCT attempt_token) FROM delivery_attempt", "2")
}

func TestSMSTimesOutAndIsQueried(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 3)
	w.sms.plays(hangs, found("m-1"))
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	w.age(time.Minute)
	w.run(worker, "SENT")
	w.wantOutcomes("TIMEOUT", "QUERY_FOUND")
	w.want("SELECT provider_msg_id FROM delivery_task", "m-1")
	w.wantCalls(w.sms, "POST ntf-task-1 to=sms-1", "GET task-1")
}

func TestFoundTwiceIsAnExternalDuplicate(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 3)
	w.sms.plays(hangs, found("m-1", "m-2"))
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	w.age(time.Minute)
	w.run(worker, "SENT")
	w.want("SELECT task_id || ' ' || acceptances FROM external_duplicate", "1 2")
}

func TestFailedQueriesSpendTheBudgetAndAPersonDecides(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 3)
	w.sms.plays(hangs, status(503), text(200, `{"ref": "task-1"}`))
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	for range 2 {
		w.age(time.Minute)
		w.run(worker, "UNKNOWN")
	}
	w.age(time.Hour / 2)
	w.run(worker, "NOTHING")
	w.wantOutcomes("TIMEOUT", "QUERY_FAILED", "QUERY_FAILED")
	w.wantTask("UNKNOWN", true, false)
	for _, want := range []int64{1, 0} {
		rows, err := worker.ResolveManually(t.Context(), 1, dispatcher.Sent, "asked the provider")
		if err != nil || rows != want {
			t.Errorf("ResolveManually: %d rows and %v, want %d", rows, err, want)
		}
	}
	w.wantTask("SENT", false, false)
	w.want("SELECT outcome || ' ' || note FROM delivery_attempt WHERE action = 'NONE'",
		"MANUAL_SENT asked the provider")
}

func TestPromisedRefusals(t *testing.T) {
	w := newWorld(t, "push")
	worker := w.worker("a")
	w.push.plays(status(503), accepts("m-1"), status(400), status(503), status(503))
	w.create("retried", 3)
	w.run(worker, "PENDING")
	w.age(time.Minute)
	w.run(worker, "SENT")
	w.create("rejected", 3)
	w.run(worker, "FAILED")
	w.create("spent", 2)
	w.run(worker, "PENDING")
	w.age(time.Minute)
	w.run(worker, "FAILED")
	w.wantOutcomes("HTTP_5XX", "ACCEPTED", "REJECTED", "HTTP_5XX", "HTTP_5XX")
	w.want("SELECT state FROM delivery_task ORDER BY id", "SENT", "FAILED", "FAILED")
}

// A refusal speaks of this request alone.
func TestRefusalAfterDoubtKeepsTheDoubt(t *testing.T) {
	for code, outcome := range map[int]string{503: "HTTP_5XX", 400: "REJECTED"} {
		t.Run(outcome, func(t *testing.T) {
			w := newWorld(t, "push")
			w.create("e1", 2)
			w.push.plays(hangs, status(code))
			w.run(w.worker("a", impatient), "UNKNOWN")
			worker := w.worker("b")
			w.age(time.Minute)
			w.run(worker, "UNKNOWN")
			w.wantOutcomes("TIMEOUT", outcome)
			w.wantTask("UNKNOWN", true, false)
		})
	}
}

func TestUnpromisedAnswersLeaveTheOutcomeUnknown(t *testing.T) {
	w := newWorld(t, "push")
	worker := w.worker("a")
	for name, answer := range map[string]reply{
		"500":              status(500),
		"429":              status(429),
		"404":              status(404),
		"204":              status(204),
		"garbage":          text(200, "<html>"),
		"truncated":        text(200, `{"id": "m-`),
		"no id":            text(200, `{"replayed": true}`),
		"more than one":    text(200, `{"id": "m-1"} {"id": "m-2"}`),
		"an id of numbers": text(200, `{"id": 5}`),
	} {
		w.create(name, 2)
		w.push.plays(answer)
		w.run(worker, "UNKNOWN")
		w.want("SELECT outcome FROM delivery_attempt ORDER BY id DESC LIMIT 1", "UNPROMISED")
	}
	w.want(`SELECT DISTINCT state || ' parked=' || needs_review || ' uncertain=' || outcome_uncertain
		FROM delivery_task`, "UNKNOWN parked=false uncertain=true")
}

func TestANeitherChannelIsNeverCalledAgain(t *testing.T) {
	w := newWorld(t, "fax")
	w.create("e1", 3)
	w.fax.plays(hangs)
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	w.wantOutcomes("TIMEOUT")
	w.wantTask("UNKNOWN", true, false)
	w.age(time.Hour / 2)
	w.run(worker, "NOTHING")
}

func TestSwitchedOffOrExpiredBeforeTheClaim(t *testing.T) {
	for _, row := range []struct{ statement, state, outcome string }{
		{"UPDATE channel_pref SET enabled = false", "SUPPRESSED", "PREF_DISABLED"},
		{"UPDATE channel_pref SET address = NULL", "SUPPRESSED", "PREF_DISABLED"},
		{"DELETE FROM channel_pref", "SUPPRESSED", "PREF_DISABLED"},
		{"UPDATE notification SET expires_at = now() - interval '1 hour'", "FAILED", "TTL_EXPIRED"},
	} {
		t.Run(row.statement, func(t *testing.T) {
			w := newWorld(t, "sms")
			w.create("e1", 3)
			w.exec(row.statement)
			w.run(w.worker("a"), dispatcher.Result(row.state))
			w.wantOutcomes(row.outcome)
			w.wantTask(row.state, false, false)
			w.want("SELECT attempt_count FROM delivery_task", "0")
		})
	}
}

func TestSwitchedOffOrExpiredInDoubtIsParked(t *testing.T) {
	for statement, outcome := range map[string]string{
		"UPDATE channel_pref SET enabled = false":                        "PREF_DISABLED_UNCERTAIN",
		"UPDATE notification SET expires_at = now() - interval '1 hour'": "TTL_EXPIRED_UNCERTAIN",
	} {
		t.Run(outcome, func(t *testing.T) {
			w := newWorld(t, "sms")
			w.create("e1", 3)
			w.sms.plays(hangs)
			w.run(w.worker("a", impatient), "UNKNOWN")
			worker := w.worker("b")
			w.exec(statement)
			w.age(time.Minute)
			w.run(worker, "UNKNOWN")
			w.wantOutcomes("TIMEOUT", outcome)
			w.wantTask("UNKNOWN", true, false)
		})
	}
}

func TestTheAddressIsPinnedByTheFirstCall(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.push.plays(hangs, accepts("m-1"))
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	w.exec("UPDATE channel_pref SET address = 'elsewhere'")
	w.want("SELECT version FROM channel_pref", "2")
	w.age(time.Minute)
	w.run(worker, "SENT")
	w.wantCalls(w.push, "POST ntf-task-1 to=push-1", "POST ntf-task-1 to=push-1")
}

func TestRetryAfterOnlyWhereTheContractSaysSo(t *testing.T) {
	for _, row := range []struct {
		promises []dispatcher.Promise
		outcome  string
		seconds  string
	}{
		{nil, "UNPROMISED", "60"},
		{[]dispatcher.Promise{{Status: 429, Outcome: dispatcher.Throttled}}, "THROTTLED", "60"},
		{[]dispatcher.Promise{{Status: 429, Outcome: dispatcher.Throttled, RetryAfter: true}},
			"THROTTLED", "90"},
	} {
		w := newWorld(t, "push")
		w.contracts[0].BeforeAcceptance = row.promises
		w.create("e1", 3)
		w.push.plays(func(rw http.ResponseWriter, r *http.Request, ref string) {
			rw.Header().Set("Retry-After", "90")
			rw.WriteHeader(429)
		})
		worker := w.worker("a")
		if _, err := worker.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.wantOutcomes(row.outcome)
		w.want("SELECT extract(epoch FROM next_attempt_at - updated_at)::integer FROM delivery_task",
			row.seconds)
	}
}

func TestASettleTimeIsWaitedForAndNeverProvesAbsence(t *testing.T) {
	w := newWorld(t, "sms")
	w.contracts[1].SeesAtOnce, w.contracts[1].Settle = false, 30*time.Minute
	w.create("e1", 5)
	w.sms.plays(hangs, found(), found(), accepts("m-1"))
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	w.age(time.Minute)
	w.run(worker, "UNKNOWN") // asked within the settle time: to be asked again when it is over
	w.wantTask("UNKNOWN", false, true)
	w.age(28 * time.Minute)
	w.run(worker, "NOTHING")
	w.age(2 * time.Minute)
	w.run(worker, "UNKNOWN") // asked after it: the next action may be SEND
	w.age(time.Minute)
	w.run(worker, "SENT")
	w.wantOutcomes("TIMEOUT", "QUERY_NOT_FOUND", "QUERY_NOT_FOUND", "ACCEPTED")
	w.want("SELECT action FROM delivery_attempt ORDER BY id", "SEND", "QUERY", "QUERY", "SEND")
}

func TestNotFoundWhereAQuerySeesAtOnceClearsTheDoubt(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 2)
	w.sms.plays(hangs, found())
	w.run(w.worker("a", impatient), "UNKNOWN")
	worker := w.worker("b")
	w.age(time.Minute)
	w.run(worker, "FAILED")
	w.wantOutcomes("TIMEOUT", "QUERY_NOT_FOUND")
	w.want("SELECT outcome_uncertain FROM delivery_task", "false")
}
