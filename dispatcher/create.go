package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Notifier writes notifications. It is as safe for concurrent use as its Database.
type Notifier struct {
	database Database
}

// NewNotifier makes a Notifier over a database that has the package's schema.
func NewNotifier(database Database) *Notifier { return &Notifier{database: database} }

// Creation is what Create came to.
type Creation struct {
	NotificationID int64
	Created        bool    // this call wrote it; false when it was there before
	Tasks          []int64 // the notification's delivery tasks, in order of their ids
	// Conflict says that the notification was there with another body, ttl or budget. Nothing was
	// overwritten.
	Conflict bool
}

// ErrInvalid is a request that could not be carried out by anybody.
var ErrInvalid = errors.New("invalid request")

// order is what is asked of Create.
type order struct {
	user, eventKey, body string
	ttlMillis            int64
	maxAttempts          int
}

// Create writes one notification for the user and event, and one delivery task for each channel
// that the user has enabled, however often and by however many callers it is called. The
// notification is worth delivering for ttl (above 0, whole milliseconds), with up to maxAttempts
// (at least 1) calls a channel; otherwise the error is ErrInvalid. It is defeated by an event
// key that differs on each call.
func (n *Notifier) Create(
	ctx context.Context, user, eventKey, body string, ttl time.Duration, maxAttempts int,
) (Creation, error) {
	asked := order{user, eventKey, body, ttl.Milliseconds(), maxAttempts}
	if err := asked.validate(); err != nil {
		return Creation{}, err
	}
	var creation Creation
	err := pgx.BeginTxFunc(ctx, n.database, readCommitted(), func(tx pgx.Tx) (err error) {
		creation, err = createIn(ctx, tx, asked)
		return err
	})
	if err != nil {
		return Creation{}, fmt.Errorf("create notification %s for user %s: %w", eventKey, user, err)
	}
	return creation, nil
}

func (o order) validate() error {
	switch {
	case o.user == "":
		return fmt.Errorf("%w: no user", ErrInvalid)
	case o.eventKey == "":
		return fmt.Errorf("%w: no event key", ErrInvalid)
	case o.ttlMillis < 1:
		return fmt.Errorf("%w: a ttl below one millisecond", ErrInvalid)
	case o.maxAttempts < 1:
		return fmt.Errorf("%w: %d attempts, at least 1 is needed", ErrInvalid, o.maxAttempts)
	}
	return nil
}

// createIn is the body of the transaction. Only the call that inserted the notification writes
// tasks; any other reads what is there.
func createIn(ctx context.Context, tx pgx.Tx, asked order) (Creation, error) {
	id, won, err := insertNotification(ctx, tx, asked)
	if err != nil {
		return Creation{}, err
	}
	if !won {
		return readExisting(ctx, tx, asked)
	}
	tasks, err := insertTasks(ctx, tx, id, asked)
	return Creation{NotificationID: id, Created: true, Tasks: tasks}, err
}

// insertNotification waits for a concurrent insert of the same key and tells whether this one won.
func insertNotification(ctx context.Context, tx pgx.Tx, asked order) (int64, bool, error) {
	var id int64
	err := tx.QueryRow(ctx, `
		INSERT INTO notification (user_id, event_key, body, ttl_millis, max_attempts, expires_at)
		VALUES ($1, $2, $3, $4::bigint, $5, now() + make_interval(secs => $4::bigint::float8 / 1000))
		    ON CONFLICT (user_id, event_key) DO NOTHING
		RETURNING id`,
		asked.user, asked.eventKey, asked.body, asked.ttlMillis, asked.maxAttempts).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("insert the notification: %w", err)
	}
	return id, true, nil
}

func insertTasks(ctx context.Context, tx pgx.Tx, id int64, asked order) ([]int64, error) {
	rows, err := tx.Query(ctx, `
		INSERT INTO delivery_task (notification_id, channel, max_attempts)
		SELECT $1, channel, $2 FROM channel_pref WHERE user_id = $3 AND enabled ORDER BY channel
		RETURNING id`, id, asked.maxAttempts, asked.user)
	if err != nil {
		return nil, fmt.Errorf("insert the tasks: %w", err)
	}
	tasks, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("insert the tasks: %w", err)
	}
	return tasks, nil
}

// readExisting reads the notification in a statement of its own: under Read Committed it sees
// the row that the insert lost to, which the insert's own snapshot may not.
func readExisting(ctx context.Context, tx pgx.Tx, asked order) (Creation, error) {
	var creation Creation
	err := tx.QueryRow(ctx, `
		SELECT n.id, (n.body, n.ttl_millis, n.max_attempts) <> ($3, $4::bigint, $5::integer),
		       ARRAY (SELECT t.id FROM delivery_task t WHERE t.notification_id = n.id ORDER BY t.id)
		  FROM notification n
		 WHERE n.user_id = $1 AND n.event_key = $2`,
		asked.user, asked.eventKey, asked.body, asked.ttlMillis, asked.maxAttempts,
	).Scan(&creation.NotificationID, &creation.Conflict, &creation.Tasks)
	if errors.Is(err, pgx.ErrNoRows) {
		return Creation{}, errors.New("the notification was deleted meanwhile; try again")
	}
	if err != nil {
		return Creation{}, fmt.Errorf("read the notification that was there: %w", err)
	}
	return creation, nil
}
