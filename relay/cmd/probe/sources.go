package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// record is one that really lies in the queue.
type record struct {
	id         string
	tenant     string
	seq        int64
	body       []byte
	limit      int64 // that it says it was admitted under
	admittedAs int64
	ackedAs    int64 // 0: unacked
	parked     bool
}

// readRecords reads the queue's records in the order of their admission, and its capacity. It never
// looks at what the relay counts.
func readRecords(ctx context.Context, url string) ([]record, int64, error) {
	if url == "" {
		return nil, 0, errors.New("the queue's address is not in the environment")
	}
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, 0, fmt.Errorf("connect to the queue: %w", err)
	}
	defer connection.Close(ctx)
	tx, err := connection.BeginTx(ctx, pgx.TxOptions{
		IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the queue: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	var capacity int64
	err = tx.QueryRow(ctx, `SELECT coalesce(max(capacity_bytes), 0) FROM queue`).Scan(&capacity)
	if err != nil {
		return nil, 0, fmt.Errorf("read the queue's capacity: %w", err)
	}
	if capacity == 0 {
		return nil, 0, errors.New("there is no queue: nothing has ever been offered to it")
	}
	rows, err := tx.Query(ctx, `
		SELECT id, tenant, seq_no, body, unacked_limit, admitted_as, coalesce(acked_as, 0), parked
		  FROM item ORDER BY admitted_as`)
	if err != nil {
		return nil, 0, fmt.Errorf("read the queue's records: %w", err)
	}
	records, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r record, err error) {
		err = row.Scan(&r.id, &r.tenant, &r.seq, &r.body, &r.limit,
			&r.admittedAs, &r.ackedAs, &r.parked)
		return r, err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the queue's records: %w", err)
	}
	return records, capacity, nil
}

// entry is one call in the sink's log.
type entry struct {
	Kind     string  `json:"kind"`
	Item     *string `json:"key"`
	Accepted bool    `json:"accepted"`
	Outcome  string  `json:"outcome"`
	Answer   *string `json:"answer"`
	Status   *int    `json:"status"`
}

// readLog reads what the sink saw and said.
func readLog(ctx context.Context, client *http.Client, base string) ([]entry, error) {
	if base == "" {
		return nil, errors.New("the sink's address is not in the environment")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimSuffix(base, "/")+"/log", nil)
	if err != nil {
		return nil, fmt.Errorf("read the sink's log: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("read the sink's log: %w", err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the sink's log: status %d, %v", response.StatusCode, err)
	}
	var log struct {
		Records *[]entry `json:"records"`
	}
	if err := json.Unmarshal(content, &log); err != nil || log.Records == nil {
		return nil, fmt.Errorf("read the sink's log: it is none: %v", err)
	}
	return *log.Records, nil
}

// compareClaims holds the relay's report against what was recomputed.
func compareClaims(file string, seen *seen) ([]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the relay's claims: %w", err)
	}
	var claims map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(content)))
	decoder.UseNumber()
	if err := decoder.Decode(&claims); err != nil {
		return nil, fmt.Errorf("read the relay's claims: %w", err)
	}
	return seen.against(claims), nil
}
