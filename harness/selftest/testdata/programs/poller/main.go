// Command poller sends letters, one after the other and without end: it takes one for a minute,
// calls $CHANNEL_URL/send with its number as the key, and marks it. It never ends by itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const take = `update letter set state = 'taken', until = now() + interval '1 minute'
	where id = (select id from letter where state = 'new' or state = 'taken' and until < now()
	            order by id limit 1 for update skip locked) returning id`

func main() {
	ctx := context.Background()
	database, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	for err == nil {
		err = once(ctx, database)
	}
	fmt.Println("poller:", err)
	os.Exit(1)
}

func once(ctx context.Context, database *pgx.Conn) error {
	var id int
	err := database.QueryRow(ctx, take).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		pause := time.NewTimer(20 * time.Millisecond)
		defer pause.Stop()
		<-pause.C
		return nil
	}
	if err != nil {
		return err
	}
	if err := send(id); err != nil {
		return err
	}
	_, err = database.Exec(ctx, "update letter set state = 'sent' where id = $1", id)
	return err
}

func send(id int) error {
	ref := fmt.Sprintf("l%d", id)
	body := strings.NewReader(fmt.Sprintf(`{"ref":%q}`, ref))
	request, err := http.NewRequest(http.MethodPost, os.Getenv("CHANNEL_URL")+"/send", body)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", ref)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
