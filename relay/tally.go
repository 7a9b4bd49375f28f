package relay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// What only grows, by tenant. The names are those of the report.
const (
	pushed           = "pushed"
	eventsRepeated   = "events_repeated"
	offeredBytes     = "queue_offered_bytes"
	writtenBytes     = "queue_written_bytes"
	droppedBytes     = "queue_dropped_bytes"
	droppedEntries   = "queue_dropped_entries"
	capacityMismatch = "queue_capacity_mismatch"
	overlimitPushes  = "overlimit_pushes"
	unackedPeak      = "unacked_peak" // the greatest, not the sum
	acked            = "acked"
	pushesDelivered  = "pushes_delivered"
	sinkReceived     = "sink_received"
	acksRepeated     = "acks_repeated"
	// refusedPrefix stands before a Reason.
	refusedPrefix = "refused:"
)

// change is by how much one amount grows.
type change struct {
	name string
	by   int64
}

// changes are those of one transaction and one tenant.
type changes []change

func (c *changes) add(name string, by int64) { *c = append(*c, change{name, by}) }

func (c *changes) refuse(reason Reason) { c.add(refusedPrefix+string(reason), 1) }

// write adds the changes to what is kept, in one order, so that two relays can't wait for each
// other.
func (c *changes) write(ctx context.Context, tx pgx.Tx, tenant string) error {
	names, amounts := make([]string, len(*c)), make([]int64, len(*c))
	for i, one := range *c {
		names[i], amounts[i] = one.name, one.by
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO tally AS kept (tenant, name, amount)
		SELECT $1, name, sum(amount)::bigint
		  FROM unnest($2::text[], $3::bigint[]) AS told (name, amount)
		 GROUP BY name ORDER BY name
		    ON CONFLICT (tenant, name) DO UPDATE
		   SET amount = CASE WHEN kept.name = 'unacked_peak'
		                     THEN greatest(kept.amount, excluded.amount)
		                     ELSE kept.amount + excluded.amount END`,
		tenant, names, amounts)
	if err != nil {
		return fmt.Errorf("count for tenant %q: %w", tenant, err)
	}
	return nil
}
