package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Settings are a courier's own; none of them is part of the contract.
type Settings struct {
	// Timeout bounds one call to the sink.
	Timeout time.Duration
	// Redelivery is how long after a claim an item without ACK is due again; more than Timeout, or
	// a relay could deliver what another still does.
	Redelivery time.Duration
	// ParkAfter is with how many refusals for good an item is parked; at least 1.
	ParkAfter int
}

// ErrSettings are settings that a courier can't work by.
var ErrSettings = errors.New("courier settings")

func (s Settings) validate() error {
	switch {
	case s.Timeout <= 0:
		return fmt.Errorf("%w: timeout %v must be above 0", ErrSettings, s.Timeout)
	case s.Redelivery <= s.Timeout:
		return fmt.Errorf("%w: redelivery %v must be longer than the timeout %v, or an item is "+
			"delivered again while a call for it lasts", ErrSettings, s.Redelivery, s.Timeout)
	case s.ParkAfter < 1:
		return fmt.Errorf("%w: park-after %d must be at least 1", ErrSettings, s.ParkAfter)
	}
	return nil
}

// Courier delivers items and takes in the ACKs. It is for one user at a time; several may work on
// one database.
type Courier struct {
	database Database
	sink     *Sink
	settings Settings
}

// NewCourier makes a Courier; unusable settings are ErrSettings.
func NewCourier(database Database, sink *Sink, settings Settings) (*Courier, error) {
	if err := settings.validate(); err != nil {
		return nil, err
	}
	return &Courier{database, sink, settings}, nil
}

// Buffer is the send buffer of the courier's connections; zero when none was asked for.
func (c *Courier) Buffer() SendBuffer { return c.sink.Buffer() }

// Delivery is what came of one round of a courier.
type Delivery struct {
	// Item is what was delivered; empty when nothing was due.
	Item string
	// Acked says that the answer held the ACK of this item, Fresh of how many items it held the
	// first one.
	Acked bool
	Fresh int
	// Problem is why there is no ACK, as far as it is known: the item stays unacked.
	Problem string
	// Parked says that the sink has refused the item too often, and it waits for a person.
	Parked bool
}

// claimed is an item that is this courier's until it is due again.
type claimed struct {
	id     string
	tenant string
	body   []byte
}

// RunOnce claims the item that has been due longest, delivers it, and takes in what the answer
// says. An error is the database's; whatever the sink does is a Delivery.
func (c *Courier) RunOnce(ctx context.Context) (Delivery, error) {
	item, err := c.claim(ctx)
	if err != nil || item == nil {
		return Delivery{}, err
	}
	answer := c.sink.deliver(ctx, item, c.settings.Timeout)
	result := Delivery{
		Item: item.id, Problem: answer.problem, Acked: slices.Contains(answer.acks, item.id),
	}
	if result.Fresh, err = takeACKs(ctx, c.database, answer.acks); err != nil {
		return result, err
	}
	if !result.Acked && answer.problem != "" {
		result.Parked, err = c.noteProblem(ctx, item.id, answer)
	}
	return result, err
}

// claim takes an item in a transaction of its own, committed before the call: a slow sink holds no
// lock. The time when it is due again is the claim.
func (c *Courier) claim(ctx context.Context) (item *claimed, err error) {
	err = pgx.BeginTxFunc(ctx, c.database, readCommitted(), func(tx pgx.Tx) (err error) {
		if item, err = claimIn(ctx, tx, c.settings.Redelivery); err == nil && item == nil {
			return errNothingDue
		}
		return err
	})
	if err != nil && !errors.Is(err, errNothingDue) {
		return nil, fmt.Errorf("claim an item: %w", err)
	}
	return item, nil
}

// errNothingDue ends a claim's transaction that has nothing to commit.
var errNothingDue = errors.New("nothing is due")

// claimIn is the body of the claim's transaction; it returns nil when nothing is due.
func claimIn(ctx context.Context, tx pgx.Tx, redelivery time.Duration) (*claimed, error) {
	var item claimed
	err := tx.QueryRow(ctx, `
		UPDATE item
		   SET deliveries = deliveries + 1,
		       due_at = now() + make_interval(secs => $1::float8 / 1000)
		 WHERE id = (SELECT id FROM item WHERE due_at <= now()
		              ORDER BY due_at, admitted_as LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id, tenant, body`,
		milliseconds(redelivery)).Scan(&item.id, &item.tenant, &item.body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &item, err
}

// noteProblem keeps why an item has no ACK, and parks it when the sink has refused it for good too
// often. An ACK that came meanwhile wins.
func (c *Courier) noteProblem(ctx context.Context, id string, answer answer) (bool, error) {
	refusals := 0
	if answer.isRefusal {
		refusals = 1
	}
	var parked bool
	err := pgx.BeginTxFunc(ctx, c.database, readCommitted(), func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			UPDATE item
			   SET last_error = $2, refusals = refusals + $3,
			       parked = parked OR refusals + $3 >= $4,
			       due_at = CASE WHEN refusals + $3 < $4 THEN due_at END
			 WHERE id = $1 AND acked_as IS NULL
			RETURNING parked`, id, answer.problem, refusals, c.settings.ParkAfter).Scan(&parked)
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("note the problem of item %s: %w", id, err)
	}
	return parked, nil
}
