package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Inbox is the database in which amounts are booked: that of schema/receiver.sql. It is as safe for
// concurrent use as its Database.
type Inbox struct {
	database Database
	account  string
}

// NewInbox makes an Inbox that books to the account.
func NewInbox(database Database, account string) *Inbox {
	return &Inbox{database: database, account: account}
}

// Receive books a message, unless its id is known: then the result is DUPLICATE, or the error
// ErrConflict when it was known with another payload. A payload that can't be understood is
// ErrUnreadable. After any other error it may have been booked; receiving it again finds out.
func (i *Inbox) Receive(ctx context.Context, message Message) (Result, error) {
	told, err := message.read()
	if err != nil {
		return "", err
	}
	result, err := i.book(ctx, told)
	if lostTheRace(err) {
		// Another consumer's commit came between the look and the insert. Its row is visible now.
		result, err = i.book(ctx, told)
	}
	if err != nil {
		return "", fmt.Errorf("receive message %s: %w", message.ID, err)
	}
	return result, nil
}

// book is one transaction: the message's id and its amount, both or neither.
func (i *Inbox) book(ctx context.Context, told content) (Result, error) {
	tx, err := begin(ctx, i.database)
	if err != nil {
		return "", err
	}
	defer rollBack(ctx, tx)
	processed, known, err := i.lookUp(ctx, tx, told.id)
	if err != nil {
		return "", err
	}
	if known {
		return Duplicate, told.compare(processed)
	}
	if err := i.remember(ctx, tx, told); err != nil {
		return "", err
	}
	if err := i.addToLedger(ctx, tx, told.amount); err != nil {
		return "", err
	}
	if err := tx.Commit(ctx); err != nil {
		return "", fmt.Errorf("commit the booking: %w", err)
	}
	return Booked, nil
}

// lookUp tells the payload that the message was processed with, if it was.
func (i *Inbox) lookUp(ctx context.Context, tx pgx.Tx, id string) (string, bool, error) {
	var payload string
	err := tx.QueryRow(ctx, `SELECT payload FROM inbox WHERE msg_id = $1`, id).Scan(&payload)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("look the message up: %w", err)
	}
	return payload, true, nil
}

// remember inserts the message's id. It waits for a concurrent insert of the same id, and fails on
// the unique constraint if that one was committed.
func (i *Inbox) remember(ctx context.Context, tx pgx.Tx, told content) error {
	_, err := tx.Exec(ctx, `INSERT INTO inbox (msg_id, payload) VALUES ($1, $2)`,
		told.id, told.canonical)
	if err != nil {
		return fmt.Errorf("insert into the inbox: %w", err)
	}
	return nil
}

func (i *Inbox) addToLedger(ctx context.Context, tx pgx.Tx, amount string) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO ledger (account, amount) VALUES ($1, $2::numeric)
		    ON CONFLICT (account) DO UPDATE SET amount = ledger.amount + excluded.amount`,
		i.account, amount)
	if err != nil {
		return fmt.Errorf("book to account %s: %w", i.account, err)
	}
	return nil
}

// uniqueViolation is the SQLSTATE of a unique constraint (PostgreSQL documentation, appendix A).
const uniqueViolation = "23505"

func lostTheRace(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == uniqueViolation &&
		refused.TableName == "inbox"
}

// Purge forgets messages that were processed longer ago than the retention, and returns how many. A
// message that comes again after that is booked again: the retention must be longer than any
// message can stay on its way, dead letters included.
func (i *Inbox) Purge(ctx context.Context, retention time.Duration) (int64, error) {
	if retention < 0 {
		return 0, fmt.Errorf("%w: retention %s is below 0", ErrInvalid, retention)
	}
	tx, err := begin(ctx, i.database)
	if err != nil {
		return 0, err
	}
	defer rollBack(ctx, tx)
	tag, err := tx.Exec(ctx, `
		DELETE FROM inbox WHERE processed_at < now() - make_interval(secs => $1::float8 / 1000)`,
		milliseconds(retention))
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("purge the inbox: %w", err)
	}
	return tag.RowsAffected(), nil
}
