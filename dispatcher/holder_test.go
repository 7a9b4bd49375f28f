package dispatcher_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/dispatcher"
)

// lost is a database whose nth transaction, from 1, can't begin: its worker claims and calls,
// and is never heard of again.
type lost struct {
	dispatcher.Database
	from  int
	begun int
}

var errLost = errors.New("the worker is gone")

func (l *lost) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	if l.begun++; l.begun >= l.from {
		return nil, errLost
	}
	return l.Database.BeginTx(ctx, options)
}

// loseHolder lets a worker claim and call, and no more.
func (w *world) loseHolder(changes ...func(*dispatcher.Settings)) {
	w.t.Helper()
	worker := w.workerOn(&lost{Database: w.session(), from: 2}, "lost", changes...)
	if _, err := worker.RunOnce(w.t.Context()); !errors.Is(err, errLost) {
		w.t.Fatalf("RunOnce: %v, want %v", err, errLost)
	}
}

func TestALostHolderIsSucceededWhenItsLeaseEnds(t *testing.T) {
	for _, row := range []struct {
		channel, action, outcome string
		answer                   reply
	}{
		{"push", "SEND", "ACCEPTED_REPLAY", replays("m-1")},
		{"sms", "QUERY", "QUERY_FOUND", found("m-1")},
	} {
		t.Run(row.channel, func(t *testing.T) {
			w := newWorld(t, row.channel)
			w.create("e1", 3)
			w.push.plays(accepts("m-1"), row.answer)
			w.sms.plays(accepts("m-1"), row.answer)
			w.loseHolder()
			w.want("SELECT state || ' ' || lease_owner FROM delivery_task", "SENDING lost")
			successor := w.worker("b")
			w.run(successor, "NOTHING")
			w.age(time.Minute + time.Millisecond)
			w.run(successor, "SENT")
			w.wantOutcomes("LEASE_EXPIRED", row.outcome)
			w.want("SELECT action FROM delivery_attempt ORDER BY id", "SEND", row.action)
			w.want("SELECT attempt_count FROM delivery_task", "2")
			w.wantTask("SENT", false, false)
		})
	}
}

func TestALostHolderOfANeitherChannelIsParked(t *testing.T) {
	w := newWorld(t, "fax")
	w.create("e1", 3)
	w.fax.plays(accepts("m-1"))
	w.loseHolder()
	w.age(2 * time.Minute)
	w.run(w.worker("b"), "UNKNOWN")
	w.wantOutcomes("LEASE_EXPIRED", "NO_SAFE_ACTION_UNCERTAIN")
	w.wantTask("UNKNOWN", true, false)
}

func TestLostHoldersSpendTheBudget(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 2)
	w.push.plays(accepts("m-1"), replays("m-1"))
	for range 2 {
		w.loseHolder()
		w.age(2 * time.Minute)
	}
	w.run(w.worker("b"), "UNKNOWN")
	w.wantOutcomes("LEASE_EXPIRED", "LEASE_EXPIRED", "BUDGET_SPENT_UNCERTAIN")
	w.wantTask("UNKNOWN", true, false)
	w.want("SELECT attempt_count FROM delivery_task", "2")
}

// A query can't prove that a holder who was never heard of will not send yet.
func TestNotFoundAfterALostHolderProvesNothing(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 5)
	w.sms.plays(status(503), found())
	w.loseHolder()
	w.age(2 * time.Minute)
	worker := w.worker("b")
	w.run(worker, "UNKNOWN")
	w.wantTask("UNKNOWN", false, true)
	w.exec("UPDATE channel_pref SET enabled = false")
	w.age(time.Minute)
	w.run(worker, "UNKNOWN")
	w.wantOutcomes("LEASE_EXPIRED", "QUERY_NOT_FOUND", "PREF_DISABLED_UNCERTAIN")
	w.wantTask("UNKNOWN", true, false)
}

func TestASupersededHolderChangesOnlyItsLateOutcome(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	successor := w.worker("b")
	overtake := func() {
		w.age(2 * time.Minute)
		w.run(successor, "SENT")
	}
	w.push.plays(meanwhile(overtake, status(503)), replays("m-1"))
	w.run(w.worker("a"), "STALE")
	w.wantOutcomes("LEASE_EXPIRED", "ACCEPTED_REPLAY")
	w.want("SELECT late_outcome FROM delivery_attempt ORDER BY id", "HTTP_5XX", "null")
	w.want("SELECT state || ' ' || provider_msg_id FROM delivery_task", "SENT m-1")
}

// While the successor holds the task, only its token keeps the old holder out.
func TestASupersededHolderIsKeptOutWhileItsSuccessorIsSending(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	firstMayAnswer, firstIsDone := make(chan struct{}), make(chan struct{})
	successor := w.worker("b")
	overtaken := func() {
		w.age(2 * time.Minute)
		go func() {
			defer close(firstIsDone)
			_, _ = successor.RunOnce(context.Background())
		}()
		<-firstMayAnswer
	}
	secondCall, mayFinish := make(chan struct{}), make(chan struct{})
	second := func() {
		close(secondCall)
		<-mayFinish
	}
	w.push.plays(meanwhile(overtaken, status(400)), meanwhile(second, accepts("m-1")))
	go func() {
		<-secondCall
		close(firstMayAnswer)
	}()
	w.run(w.worker("a"), "STALE")
	w.want("SELECT state || ' ' || lease_owner FROM delivery_task", "SENDING b")
	close(mayFinish)
	<-firstIsDone
	w.wantTask("SENT", false, false)
	w.want("SELECT late_outcome FROM delivery_attempt ORDER BY id", "REJECTED", "null")
}

func TestALateAcceptanceSettlesTheTaskWithoutACall(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 5)
	successor := w.worker("b")
	overtake := func() {
		w.age(2 * time.Minute)
		w.run(successor, "UNKNOWN")
	}
	w.sms.plays(meanwhile(overtake, accepts("m-late")), found())
	w.run(w.worker("a"), "STALE")
	w.age(time.Minute)
	w.run(successor, "SENT")
	w.wantOutcomes("LEASE_EXPIRED", "QUERY_NOT_FOUND", "LATE_ACCEPTED")
	w.want("SELECT provider_msg_id FROM delivery_task", "m-late")
	w.want("SELECT late_msg_id FROM delivery_attempt ORDER BY id", "m-late", "null", "null")
	w.wantTask("SENT", false, false)
}

// A person wrote FAILED; then the channel's acceptance was heard of after all.
func TestALateAcceptanceOfAFailedTaskIsThereForReview(t *testing.T) {
	w := newWorld(t, "fax")
	w.create("e1", 3)
	successor := w.worker("b")
	giveUp := func() {
		w.age(2 * time.Minute)
		w.run(successor, "UNKNOWN")
		if rows, err := successor.ResolveManually(t.Context(), 1, "FAILED", ""); rows != 1 {
			t.Errorf("ResolveManually: %d rows, %v", rows, err)
		}
	}
	w.fax.plays(meanwhile(giveUp, accepts("m-late")))
	w.run(w.worker("a"), "STALE")
	w.want("SELECT state || ' ' || late_msg_id FROM late_acceptance_review", "FAILED m-late")
}

// unheard is a database whose nth COMMIT is done, but its answer never arrives.
type unheard struct {
	*dispatcher.Session
	nth     int
	commits int
}

type unheardTx struct {
	pgx.Tx
	owner *unheard
}

func (u *unheard) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	tx, err := u.Session.BeginTx(ctx, options)
	return unheardTx{tx, u}, err
}

func (u unheardTx) Commit(ctx context.Context) error {
	err := u.Tx.Commit(ctx)
	if u.owner.commits++; u.owner.commits != u.owner.nth {
		return err
	}
	return errors.Join(errors.New("connection reset"), err, u.owner.Session.Close(ctx))
}

func TestAFinishWhoseCommitWentUnheardIsKnownAsOnesOwn(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.push.plays(accepts("m-1"))
	w.run(w.workerOn(&unheard{Session: w.session(), nth: 2}, "a"), "SENT")
	w.wantOutcomes("ACCEPTED")
	w.want("SELECT late_outcome FROM delivery_attempt", "null")
}

func TestAClaimWhoseCommitWentUnheardIsAnErrorAndItsLeaseEnds(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.push.plays(accepts("m-1"))
	worker := w.workerOn(&unheard{Session: w.session(), nth: 1}, "a")
	if result, err := worker.RunOnce(t.Context()); err == nil {
		t.Fatalf("RunOnce: %s, want an error", result)
	}
	w.wantCalls(w.push)
	w.age(2 * time.Minute)
	w.run(worker, "SENT")
	w.wantOutcomes("LEASE_EXPIRED", "ACCEPTED")
}

// What was seen is written even when the worker has been told to stop meanwhile.
func TestACancelledWorkerStillFinishes(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	ctx, cancel := context.WithCancel(t.Context())
	w.push.plays(meanwhile(cancel, hangs))
	if result, err := w.worker("a").RunOnce(ctx); err != nil || result != "UNKNOWN" {
		t.Errorf("RunOnce: %s and %v, want UNKNOWN", result, err)
	}
	w.wantOutcomes("IO_ERROR")
}

// The task's token is still that of its last call when a claim has ended it without one: then its
// state keeps the old holder out.
func TestAHolderIsKeptOutOfATaskThatWasParkedMeanwhile(t *testing.T) {
	w := newWorld(t, "sms")
	w.create("e1", 3)
	successor := w.worker("b")
	switchOff := func() {
		w.exec("UPDATE channel_pref SET enabled = false")
		w.age(2 * time.Minute)
		w.run(successor, "UNKNOWN")
	}
	w.sms.plays(meanwhile(switchOff, status(503)))
	w.run(w.worker("a"), "STALE")
	w.wantOutcomes("LEASE_EXPIRED", "PREF_DISABLED_UNCERTAIN")
	w.wantTask("UNKNOWN", true, false)
	w.want("SELECT late_outcome FROM delivery_attempt ORDER BY id", "HTTP_5XX", "null")
}

// The claim is committed before the call: a slow channel holds no lock.
func TestNoTransactionIsOpenDuringTheCall(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	look := func() {
		w.exec("SELECT state FROM delivery_task FOR UPDATE NOWAIT")
		w.want("SELECT state FROM delivery_task", "SENDING")
		w.want(`SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state LIKE 'idle in transaction%'`, "0")
	}
	w.push.plays(meanwhile(look, accepts("m-1")))
	w.run(w.worker("a"), "SENT")
}
