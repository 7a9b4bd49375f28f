package dispatcher_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"lostreply/dispatcher"
)

// together runs the same function on many goroutines that begin at one moment.
func together(count int, do func(number int)) {
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	for number := range count {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			do(number)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
}

func TestConcurrentCreatesWriteOneNotification(t *testing.T) {
	w := newWorld(t, "push", "sms")
	notifiers := make([]*dispatcher.Notifier, 8)
	for i := range notifiers {
		notifiers[i] = dispatcher.NewNotifier(w.session())
	}
	creations := make([]dispatcher.Creation, len(notifiers))
	together(len(notifiers), func(number int) {
		creation, err := notifiers[number].Create(
			context.Background(), "u1", "e1", "body", time.Hour, 3)
		if err != nil {
			t.Error(err)
		}
		creations[number] = creation
	})
	created := 0
	for _, creation := range creations {
		if creation.Created {
			created++
		}
		if creation.Conflict || creation.NotificationID != creations[0].NotificationID ||
			!slices.Equal(creation.Tasks, creations[0].Tasks) {
			t.Errorf("one caller got %+v, another %+v", creation, creations[0])
		}
	}
	if created != 1 || len(creations[0].Tasks) != 2 {
		t.Errorf("%d created it, with tasks %v; want 1 and 2 tasks", created, creations[0].Tasks)
	}
	w.want("SELECT count(*) FROM notification", "1")
	w.want("SELECT channel FROM delivery_task ORDER BY id", "push", "sms")
}

func TestCreateOfAnotherNotificationUnderTheSameKeyIsAConflict(t *testing.T) {
	w := newWorld(t, "push")
	notifier := dispatcher.NewNotifier(w.session())
	for _, row := range []struct {
		body     string
		ttl      time.Duration
		attempts int
		conflict bool
	}{
		{"body", time.Hour, 3, false},
		{"body", time.Hour, 3, false},
		{"other", time.Hour, 3, true},
		{"body", time.Minute, 3, true},
		{"body", time.Hour, 4, true},
	} {
		got, err := notifier.Create(t.Context(), "u1", "e1", row.body, row.ttl, row.attempts)
		if err != nil {
			t.Fatal(err)
		}
		if got.Conflict != row.conflict || !slices.Equal(got.Tasks, []int64{1}) {
			t.Errorf("%+v: %+v", row, got)
		}
	}
	w.want("SELECT body || ' ' || max_attempts FROM notification", "body 3")
}

func TestCreateRefusesWhatNobodyCouldDeliver(t *testing.T) {
	w := newWorld(t)
	notifier := dispatcher.NewNotifier(w.session())
	for _, row := range []struct {
		user, event string
		ttl         time.Duration
		attempts    int
	}{
		{"", "e", time.Hour, 1}, {"u", "", time.Hour, 1}, {"u", "e", 0, 1},
		{"u", "e", -time.Second, 1}, {"u", "e", time.Microsecond, 1}, {"u", "e", time.Hour, 0},
	} {
		_, err := notifier.Create(t.Context(), row.user, row.event, "", row.ttl, row.attempts)
		if !errors.Is(err, dispatcher.ErrInvalid) {
			t.Errorf("%+v: error %v, want %v", row, err, dispatcher.ErrInvalid)
		}
	}
	w.want("SELECT count(*) FROM notification", "0")
}

func TestADisabledChannelGetsNoTask(t *testing.T) {
	w := newWorld(t, "push", "sms")
	w.exec("UPDATE channel_pref SET enabled = false WHERE channel = 'sms'")
	w.create("e1", 3)
	w.want("SELECT channel FROM delivery_task", "push")
}

func TestOneOfEightWorkersGetsTheTask(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.push.plays(accepts("m-1"))
	results := w.race(8, 1)
	if results["SENT"] != 1 || results["NOTHING"] != 7 {
		t.Errorf("results %v, want 1 SENT and 7 NOTHING", results)
	}
	w.wantOutcomes("ACCEPTED")
}

func TestFourWorkersDrainTwentyTasksOnce(t *testing.T) {
	w := newWorld(t, "push")
	for number := range 20 {
		w.create("e"+string(rune('a'+number)), 3)
		w.push.plays(accepts("m-" + string(rune('a'+number))))
	}
	results := w.race(4, 20)
	if results["SENT"] != 20 {
		t.Errorf("results %v, want 20 SENT", results)
	}
	w.want("SELECT count(*) FROM delivery_attempt", "20")
	w.want("SELECT count(*) FROM delivery_task WHERE attempt_count <> 1 OR state <> 'SENT'", "0")
	w.want("SELECT count(DISTINCT provider_msg_id) FROM delivery_task", "20")
}

// race lets workers each do as many rounds as there are tasks and counts their results.
func (w *world) race(workers, rounds int) map[dispatcher.Result]int {
	w.t.Helper()
	racers := make([]*dispatcher.Dispatcher, workers)
	for i := range racers {
		racers[i] = w.worker("w" + string(rune('1'+i)))
	}
	var mutex sync.Mutex
	results := map[dispatcher.Result]int{}
	together(workers, func(number int) {
		for range rounds {
			result, err := racers[number].RunOnce(context.Background())
			if err != nil {
				w.t.Error(err)
			}
			mutex.Lock()
			results[result]++
			mutex.Unlock()
		}
	})
	return results
}

// A row that another claim holds is passed over, not waited for, and not taken.
func TestALockedTaskIsPassedOver(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.create("e2", 3)
	w.push.plays(accepts("m-2"))
	tx, err := w.sql.BeginTx(t.Context(), pgx.TxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), "SELECT 1 FROM delivery_task WHERE id = 1 FOR UPDATE")
	if err != nil {
		t.Fatal(err)
	}
	worker := w.worker("a")
	w.run(worker, "SENT")
	w.run(worker, "NOTHING")
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.want("SELECT state FROM delivery_task ORDER BY id", "PENDING", "SENT")
}

func TestTheLongestDueGoesFirst(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.create("e2", 3)
	w.exec("UPDATE delivery_task SET next_attempt_at = now() - interval '1 hour' WHERE id = 2")
	w.push.plays(accepts("m-2"), accepts("m-1"))
	worker := w.worker("a")
	w.run(worker, "SENT")
	w.run(worker, "SENT")
	w.wantCalls(w.push, "POST ntf-task-2 to=push-1", "POST ntf-task-1 to=push-1")
}

func TestTasksOfOtherChannelsAreLeftAlone(t *testing.T) {
	w := newWorld(t, "push", "pigeon")
	w.create("e1", 3)
	w.push.plays(accepts("m-1"))
	worker := w.worker("a")
	w.run(worker, "SENT")
	w.run(worker, "NOTHING")
	w.want("SELECT state FROM delivery_task WHERE channel = 'pigeon'", "PENDING")
}

func TestOfConcurrentResolutionsOneChangesTheTask(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	w.exec(`UPDATE delivery_task SET state = 'UNKNOWN', outcome_uncertain = true, needs_review = true,
		next_attempt_at = NULL`)
	first, second := w.worker("a"), w.worker("b")
	changed := make([]int64, 2)
	together(2, func(number int) {
		worker := []*dispatcher.Dispatcher{first, second}[number]
		state := []dispatcher.State{dispatcher.Sent, dispatcher.Failed}[number]
		rows, err := worker.ResolveManually(context.Background(), 1, state, "note")
		if err != nil {
			t.Error(err)
		}
		changed[number] = rows
	})
	if changed[0]+changed[1] != 1 {
		t.Errorf("rows changed: %v, want 1 in all", changed)
	}
	w.want("SELECT count(*) FROM delivery_attempt WHERE outcome LIKE 'MANUAL%'", "1")
	w.want("SELECT count(*) FROM delivery_task t JOIN delivery_attempt a ON a.task_id = t.id "+
		"WHERE a.outcome = 'MANUAL_' || t.state", "1")
}

func TestOnlyParkedTasksAreResolved(t *testing.T) {
	w := newWorld(t, "push")
	w.create("e1", 3)
	worker := w.worker("a")
	rows, err := worker.ResolveManually(t.Context(), 1, dispatcher.Sent, "")
	if rows != 0 || err != nil {
		t.Errorf("a pending task: %d rows, %v", rows, err)
	}
	w.exec("UPDATE delivery_task SET state = 'UNKNOWN'")
	rows, err = worker.ResolveManually(t.Context(), 1, dispatcher.Sent, "")
	if rows != 0 || err != nil {
		t.Errorf("an unknown, scheduled task: %d rows, %v", rows, err)
	}
	_, err = worker.ResolveManually(t.Context(), 1, dispatcher.Suppressed, "")
	if !errors.Is(err, dispatcher.ErrInvalid) {
		t.Errorf("as SUPPRESSED: error %v, want %v", err, dispatcher.ErrInvalid)
	}
}
