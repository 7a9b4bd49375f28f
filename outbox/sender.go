package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Sender is the database in which contracts are accepted: that of schema/sender.sql. It is as safe
// for concurrent use as its Database.
type Sender struct{ database Database }

// NewSender makes a Sender over a database.
func NewSender(database Database) *Sender { return &Sender{database: database} }

// ErrInvalid is a request that could not be carried out by anybody.
var ErrInvalid = errors.New("invalid request")

// Contract is what is accepted, and the id of the message that tells of it.
type Contract struct {
	ID        string
	Amount    string // a decimal number above 0
	MessageID string
}

func (c Contract) validate() error {
	switch {
	case c.ID == "":
		return fmt.Errorf("%w: no contract", ErrInvalid)
	case c.MessageID == "":
		return fmt.Errorf("%w: no message id", ErrInvalid)
	}
	if !json.Valid([]byte(c.Amount)) {
		return fmt.Errorf("%w: amount %q is no decimal number", ErrInvalid, c.Amount)
	}
	amount, err := Canonical(c.Amount)
	if err != nil || !strings.ContainsAny(amount[:1], "0123456789") || amount == "0" {
		return fmt.Errorf("%w: amount %q is no decimal number above 0", ErrInvalid, c.Amount)
	}
	return nil
}

// Accept writes the contract and its outbox message in one transaction, however often it is called:
// it tells whether this call wrote them. A contract that is there with another amount or another
// message is ErrConflict, an unusable one ErrInvalid. After any other error both may have been
// written or neither; calling again finds out.
func (s *Sender) Accept(ctx context.Context, contract Contract) (created bool, err error) {
	if err := contract.validate(); err != nil {
		return false, err
	}
	created, err = s.accept(ctx, contract)
	if err != nil {
		return false, fmt.Errorf("accept contract %s: %w", contract.ID, err)
	}
	return created, nil
}

func (s *Sender) accept(ctx context.Context, contract Contract) (bool, error) {
	tx, err := begin(ctx, s.database)
	if err != nil {
		return false, err
	}
	defer rollBack(ctx, tx)
	created, err := insertContract(ctx, tx, contract)
	if err != nil {
		return false, err
	}
	if !created {
		return false, compareAccepted(ctx, tx, contract)
	}
	if err := insertMessage(ctx, tx, contract); err != nil {
		return false, err
	}
	if err := tx.Commit(ctx); err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return true, nil
}

// insertContract waits for a concurrent insert of the same contract and tells whether this one won.
func insertContract(ctx context.Context, tx pgx.Tx, contract Contract) (bool, error) {
	tag, err := tx.Exec(ctx, `
		INSERT INTO contract (id, amount) VALUES ($1, $2::numeric) ON CONFLICT (id) DO NOTHING`,
		contract.ID, contract.Amount)
	if err != nil {
		return false, fmt.Errorf("insert the contract: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}

func insertMessage(ctx context.Context, tx pgx.Tx, contract Contract) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO outbox (msg_id, contract_id, amount) VALUES ($1, $2, $3::numeric)`,
		contract.MessageID, contract.ID, contract.Amount)
	if err != nil {
		return fmt.Errorf("insert the outbox message: %w", err)
	}
	return nil
}

// compareAccepted tells a repeated acceptance from one that asks for something else.
func compareAccepted(ctx context.Context, tx pgx.Tx, contract Contract) error {
	var amount, messageID string
	var same bool
	err := tx.QueryRow(ctx, `
		SELECT c.amount::text, o.msg_id, c.amount = $2::numeric AND o.msg_id = $3
		  FROM contract c JOIN outbox o ON o.contract_id = c.id
		 WHERE c.id = $1`, contract.ID, contract.Amount, contract.MessageID,
	).Scan(&amount, &messageID, &same)
	if err != nil {
		return fmt.Errorf("read the contract that was there: %w", err)
	}
	if !same {
		return fmt.Errorf("%w: it was accepted with amount %s and message %s, not with %s and %s",
			ErrConflict, amount, messageID, contract.Amount, contract.MessageID)
	}
	return nil
}
