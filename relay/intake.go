package relay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Intake takes events in. It is for one user at a time; several may work on one database.
type Intake struct {
	database Database
	contract *Contract
}

// Admission is what became of one event.
type Admission struct {
	// Item is the item's id; empty when the event has none.
	Item string
	// Refused is the reason, and Detail what is wrong; both empty when it was admitted.
	Refused Reason
	Detail  string
	// Repeated says that the same event was there already.
	Repeated bool
}

// OpenIntake makes an Intake, and on a new database the queue, with the capacity in effect, and the
// contract's tenants.
func OpenIntake(ctx context.Context, database Database, contract *Contract) (*Intake, error) {
	err := pgx.BeginTxFunc(ctx, database, readCommitted(), func(tx pgx.Tx) error {
		if err := makeQueue(ctx, tx, contract.QueueSizeBytes); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO tenant (name) SELECT unnest($1::text[]) ORDER BY 1
			    ON CONFLICT (name) DO NOTHING`, contract.Tenants)
		if err != nil {
			return fmt.Errorf("write the contract's tenants: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open the intake: %w", err)
	}
	return &Intake{database, contract}, nil
}

// MaxEventBytes is the length above which no event can ever be written: the queue's capacity.
func (i *Intake) MaxEventBytes() int64 { return i.contract.QueueSizeBytes }

// Push offers one event, in one transaction with its count: after an error neither is there, unless
// it was the answer to the COMMIT that got lost; pushing again finds out, as a repetition is known.
func (i *Intake) Push(ctx context.Context, body []byte) (Admission, error) {
	e, wrong := readEvent(body, i.contract)
	return i.account(ctx, e, wrong)
}

// RefuseTooLong counts an event that is longer than MaxEventBytes, of which nobody kept the rest.
func (i *Intake) RefuseTooLong(ctx context.Context, length int64) (Admission, error) {
	return i.account(ctx, &event{}, faultOf(EventTooLong,
		"%d bytes are more than the queue can ever hold, %d", length, i.contract.QueueSizeBytes))
}

func (i *Intake) account(ctx context.Context, e *event, wrong *fault) (Admission, error) {
	var result Admission
	err := pgx.BeginTxFunc(ctx, i.database, readCommitted(), func(tx pgx.Tx) (err error) {
		counted := changes{{pushed, 1}}
		if wrong == nil {
			result, wrong, err = i.admit(ctx, tx, e, &counted)
			if err != nil {
				return err
			}
		}
		if wrong != nil {
			result = Admission{Refused: wrong.reason, Detail: wrong.detail}
			counted.refuse(wrong.reason)
		}
		return counted.write(ctx, tx, e.tenant)
	})
	if err != nil {
		return Admission{}, fmt.Errorf("push an event of tenant %q: %w", e.tenant, err)
	}
	return result, nil
}

// admit takes the event through gate, capacity, validation and write. The tenant stays locked
// until its end, so that two relays can't both count the same room.
func (i *Intake) admit(
	ctx context.Context, tx pgx.Tx, e *event, counted *changes,
) (Admission, *fault, error) {
	unacked, err := lockAndCount(ctx, tx, e.tenant)
	if err != nil {
		return Admission{}, nil, err
	}
	if unacked >= i.contract.UnackedLimit {
		return Admission{}, faultOf(TenantOverlimit, "tenant %s has %d unacked items of at most %d",
			e.tenant, unacked, i.contract.UnackedLimit), nil
	}
	actual, err := capacityOf(ctx, tx)
	if err != nil {
		return Admission{}, nil, err
	}
	if actual != i.capacity() {
		counted.add(capacityMismatch, 1)
	}
	if wrong := e.validate(i.contract); wrong != nil {
		return Admission{}, wrong, nil
	}
	repeated, wrong, err := findEarlier(ctx, tx, e)
	if err != nil || wrong != nil || repeated {
		if repeated {
			counted.add(eventsRepeated, 1)
		}
		return Admission{Item: e.id(), Repeated: repeated}, wrong, err
	}
	wrong, err = i.write(ctx, tx, e, unacked, counted)
	return Admission{Item: e.id()}, wrong, err
}

// capacity is the capacity that the account goes by: the one in effect.
func (i *Intake) capacity() int64 { return i.contract.QueueSizeBytes }

// write offers the event to the queue and counts what the queue took.
func (i *Intake) write(
	ctx context.Context, tx pgx.Tx, e *event, unacked int64, counted *changes,
) (*fault, error) {
	offered := int64(len(e.body))
	counted.add(offeredBytes, offered)
	taken, err := writeItem(ctx, tx, e, i.contract.UnackedLimit)
	if err != nil {
		return nil, err
	}
	if taken != offered {
		counted.add(droppedEntries, 1)
		counted.add(droppedBytes, offered-taken)
		return faultOf(QueueFull, "the queue took %d of %d bytes", taken, offered), nil
	}
	counted.add(writtenBytes, taken)
	if unacked >= i.contract.UnackedLimit {
		counted.add(overlimitPushes, 1)
	}
	counted.add(unackedPeak, unacked+1)
	return nil, nil
}

// lockAndCount counts a tenant's unacked items from the items themselves.
func lockAndCount(ctx context.Context, tx pgx.Tx, tenant string) (int64, error) {
	_, err := tx.Exec(ctx, `SELECT FROM tenant WHERE name = $1 FOR UPDATE`, tenant)
	if err != nil {
		return 0, fmt.Errorf("lock tenant %s: %w", tenant, err)
	}
	var unacked int64
	err = tx.QueryRow(ctx, `
		SELECT count(*) FROM item WHERE tenant = $1 AND acked_as IS NULL`, tenant).Scan(&unacked)
	if err != nil {
		return 0, fmt.Errorf("count the unacked items of tenant %s: %w", tenant, err)
	}
	return unacked, nil
}
