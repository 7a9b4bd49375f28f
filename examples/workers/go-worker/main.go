// Command go-worker takes one job: it claims it, calls for it, and writes down what came of it. Its
// only argument is for how many seconds it claims.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

type job struct {
	id      int64
	attempt int
	address string
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go-worker LEASE_SECONDS")
	}
	if err := work(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func work(ctx context.Context, lease string) error {
	db, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(ctx) }()
	taken, err := claim(ctx, db, lease)
	if err != nil {
		return err
	}
	if taken == nil {
		fmt.Println("NOTHING")
		return nil
	}
	fmt.Printf("CLAIMED job=%d attempt=%d\n", taken.id, taken.attempt)
	receipt, err := call(ctx, *taken)
	if err != nil {
		return err
	}
	return finish(ctx, db, *taken, receipt)
}

// claim reads a due job without a lock and takes it only if nobody did meanwhile.
func claim(ctx context.Context, db *pgx.Conn, lease string) (*job, error) {
	var found job
	changed := int64(0)
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `select id, attempt, address
			from job where state = 'due' or state = 'claimed' and lease_until <= now()
			order by id limit 1`).Scan(&found.id, &found.attempt, &found.address)
		if err != nil {
			return err
		}
		done, err := tx.Exec(ctx, `update job set state = 'claimed', attempt = attempt + 1,
			lease_until = now() + cast($3 as text)::interval
			where id = $1 and attempt = $2`, found.id, found.attempt, lease+" seconds")
		changed = done.RowsAffected()
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && changed == 0 {
		return nil, nil
	}
	found.attempt++
	return &found, err
}

// call sends the job. The key is the same for every attempt, so that the shop can tell a
// repetition.
func call(ctx context.Context, taken job) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("SHOP_URL")+"/send",
		strings.NewReader(fmt.Sprintf(`{"to": %q}`, taken.address)))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", fmt.Sprintf("job-%d", taken.id))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	receipt, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the shop answers %s", answer.Status)
	}
	return string(receipt), err
}

// finish writes down what came of the job, unless a later attempt has it now.
func finish(ctx context.Context, db *pgx.Conn, taken job, receipt string) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `update job set state = 'done', lease_until = null
			where id = $1 and attempt = $2`, taken.id, taken.attempt)
		if err != nil || done.RowsAffected() == 0 {
			return errors.Join(err, tx.Rollback(ctx))
		}
		_, err = tx.Exec(ctx, `insert into delivery (job, attempt, receipt) values ($1, $2, $3)`,
			taken.id, taken.attempt, receipt)
		return err
	})
}
