package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Figures are the relay's counts, of one tenant or of all, named as in its contract.
type Figures struct {
	Pushed                int64 `json:"pushed"`
	PushesDelivered       int64 `json:"pushes_delivered"`
	Acked                 int64 `json:"acked"`
	SinkReceived          int64 `json:"sink_received"`
	Unacked               int64 `json:"unacked"`
	UnackedPeak           int64 `json:"unacked_peak"` // of all: the greatest of one tenant
	OverlimitRejected     int64 `json:"overlimit_rejected"`
	OverlimitPushes       int64 `json:"overlimit_pushes"`
	QueueOfferedBytes     int64 `json:"queue_offered_bytes"`
	QueueWrittenBytes     int64 `json:"queue_written_bytes"`
	QueueDroppedBytes     int64 `json:"queue_dropped_bytes"`
	QueueDroppedEntries   int64 `json:"queue_dropped_entries"`
	QueueCapacityMismatch int64 `json:"queue_capacity_mismatch"`
	VersionMismatchAcked  int64 `json:"version_mismatch_acked"` // refused for their version
	FieldMissingAcked     int64 `json:"field_missing_acked"`    // refused for a missing field
	EventsRepeated        int64 `json:"events_repeated"`
	ACKsRepeated          int64 `json:"acks_repeated"`
	Parked                int64 `json:"parked"`
	// Refused counts the refused events by reason.
	Refused map[Reason]int64 `json:"refused"`
	// LastACKedSeq is shown, and never used to compute; nil before the first ACK, and for all.
	LastACKedSeq *int64 `json:"last_acked_seq,omitempty"`
}

// Report is what the relay says of itself: its own word.
type Report struct {
	Figures
	// QueueUsedBytes are those of the unacked items, QueueCapacityBytes what the queue really has.
	QueueUsedBytes     int64 `json:"queue_used_bytes"`
	QueueCapacityBytes int64 `json:"queue_capacity_bytes"`
	// SendBuffer is nil where the relay that wrote the report asked for none.
	*SendBuffer
	Tenants map[string]Figures `json:"tenants"`
}

// ReadReport reads the figures, in one snapshot of the database.
func ReadReport(ctx context.Context, database Database) (*Report, error) {
	report := &Report{Tenants: map[string]Figures{}}
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, database, options, func(tx pgx.Tx) error {
		if err := report.readTallies(ctx, tx); err != nil {
			return err
		}
		if err := report.readUnacked(ctx, tx); err != nil {
			return err
		}
		return report.readQueue(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("read the figures of the report: %w", err)
	}
	report.sum()
	return report, nil
}

func (r *Report) readTallies(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT tenant, name, amount FROM tally`)
	if err != nil {
		return fmt.Errorf("read the counts: %w", err)
	}
	var tenant, name string
	var amount int64
	_, err = pgx.ForEachRow(rows, []any{&tenant, &name, &amount}, func() error {
		figures := r.Tenants[tenant]
		figures.take(name, amount)
		r.Tenants[tenant] = figures
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the counts: %w", err)
	}
	return nil
}

// readUnacked counts the unacked items from the items.
func (r *Report) readUnacked(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
		SELECT t.name, t.last_acked_seq,
		       (SELECT count(*) FROM item i WHERE i.tenant = t.name AND i.acked_as IS NULL),
		       (SELECT count(*) FROM item i WHERE i.tenant = t.name AND i.parked)
		  FROM tenant t`)
	if err != nil {
		return fmt.Errorf("count the unacked items: %w", err)
	}
	var tenant string
	var last *int64
	var unacked, parked int64
	_, err = pgx.ForEachRow(rows, []any{&tenant, &last, &unacked, &parked}, func() error {
		figures := r.Tenants[tenant]
		figures.Unacked, figures.Parked, figures.LastACKedSeq = unacked, parked, last
		r.Tenants[tenant] = figures
		return nil
	})
	if err != nil {
		return fmt.Errorf("count the unacked items: %w", err)
	}
	return nil
}

func (r *Report) readQueue(ctx context.Context, tx pgx.Tx) error {
	err := tx.QueryRow(ctx, `
		SELECT coalesce((SELECT capacity_bytes FROM queue), 0),
		       (SELECT coalesce(sum(bytes), 0) FROM item WHERE acked_as IS NULL)`,
	).Scan(&r.QueueCapacityBytes, &r.QueueUsedBytes)
	if err != nil {
		return fmt.Errorf("read the queue: %w", err)
	}
	return nil
}

// take puts one amount where the report has it.
func (f *Figures) take(name string, amount int64) {
	if reason, isRefusal := strings.CutPrefix(name, refusedPrefix); isRefusal {
		f.refuse(Reason(reason), amount)
		return
	}
	if place := f.placeOf(name); place != nil {
		*place = amount
	}
}

func (f *Figures) refuse(reason Reason, amount int64) {
	if f.Refused == nil {
		f.Refused = map[Reason]int64{}
	}
	f.Refused[reason] += amount
	switch reason {
	case TenantOverlimit:
		f.OverlimitRejected += amount
	case CoreVersionMismatch:
		f.VersionMismatchAcked += amount
	case RequiredFieldMissing:
		f.FieldMissingAcked += amount
	}
}

func (f *Figures) placeOf(name string) *int64 {
	return map[string]*int64{
		pushed: &f.Pushed, eventsRepeated: &f.EventsRepeated, offeredBytes: &f.QueueOfferedBytes,
		writtenBytes: &f.QueueWrittenBytes, droppedBytes: &f.QueueDroppedBytes,
		droppedEntries: &f.QueueDroppedEntries, capacityMismatch: &f.QueueCapacityMismatch,
		overlimitPushes: &f.OverlimitPushes, unackedPeak: &f.UnackedPeak, acked: &f.Acked,
		pushesDelivered: &f.PushesDelivered, sinkReceived: &f.SinkReceived,
		acksRepeated: &f.ACKsRepeated,
	}[name]
}

// sum adds the tenants up.
func (r *Report) sum() {
	for _, figures := range r.Tenants {
		for _, name := range []string{
			pushed, eventsRepeated, offeredBytes, writtenBytes, droppedBytes, droppedEntries,
			capacityMismatch, overlimitPushes, acked, pushesDelivered, sinkReceived, acksRepeated,
		} {
			*r.placeOf(name) += *figures.placeOf(name)
		}
		r.UnackedPeak = max(r.UnackedPeak, figures.UnackedPeak)
		r.Unacked += figures.Unacked
		r.Parked += figures.Parked
		for reason, amount := range figures.Refused {
			r.refuse(reason, amount)
		}
	}
}

// Save writes the report to a file, whole or not at all.
func (r *Report) Save(file string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".report-*")
	if err != nil {
		return fmt.Errorf("write the report %s: %w", file, err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(append(content, '\n'))
	if closing := temporary.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("write the report %s: %w", file, err)
	}
	return nil
}
