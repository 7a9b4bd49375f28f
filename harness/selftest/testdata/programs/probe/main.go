// Command probe does, one after the other, what its flag says: it is the worker of the harness's own
// tests. It waits for nothing but what it is told to wait for, and never for time.
//
// The flag --do holds actions, parted by " | ":
//
//	print WORDS    prints a line
//	sql STATEMENT  sends a statement to $DATABASE_URL, or to $URL_NAME after: on NAME
//	now STATEMENT  the same, with this machine's time as $1
//	stubborn STATEMENT  sends it, and again by a new connection when that was lost, as some drivers do
//	endlessly STATEMENT  sends it again and again
//	on NAME        sends what follows to the database at $NAME_URL
//	again          what follows is sent by a new connection
//	call REF       calls $CHANNEL_URL/send about REF, with REF as its key, and prints the status
//	keyless REF    the same without a key
//	ask REF        asks $CHANNEL_URL/messages about REF, and prints the answer
//	to NAME        calls go to $NAME_URL from here on
//	toss           sends a statement thirty-two times, one of two by chance
//	serve          answers HTTP at $PORT from here on
//	env NAME       prints what the variable holds
//	exit STATUS    ends with this status
//	block          waits for ever
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

type probe struct {
	database    string
	connections map[string]*pgx.Conn
	channel     string
}

func main() {
	do := flag.String("do", "", "actions, parted by |")
	flag.Parse()
	p := &probe{
		database: "DATABASE_URL", connections: map[string]*pgx.Conn{}, channel: "CHANNEL_URL",
	}
	for _, action := range strings.Split(*do, " | ") {
		word, rest, _ := strings.Cut(strings.TrimSpace(action), " ")
		if err := p.act(word, rest); err != nil {
			fmt.Println("probe:", word+":", err)
			os.Exit(1)
		}
	}
}

func (p *probe) act(word, rest string) error {
	switch word {
	case "print":
		fmt.Println(rest)
	case "sql":
		return p.sql(rest)
	case "now":
		return p.sql(rest, time.Now())
	case "stubborn":
		if p.sql(rest) != nil {
			delete(p.connections, p.database)
			return p.sql(rest)
		}
	case "endlessly":
		for {
			if err := p.sql(rest); err != nil {
				return err
			}
		}
	case "on":
		p.database = strings.ToUpper(rest) + "_URL"
	case "again":
		delete(p.connections, p.database)
	case "to":
		p.channel = strings.ToUpper(rest) + "_URL"
	case "call":
		return p.call(rest, rest)
	case "keyless":
		return p.call(rest, "")
	case "ask":
		return p.ask(rest)
	case "toss":
		return p.toss()
	case "serve":
		return serve()
	case "env":
		fmt.Printf("%s=[%s]\n", rest, os.Getenv(rest))
	case "exit":
		status, err := strconv.Atoi(rest)
		if err != nil {
			return err
		}
		os.Exit(status)
	case "block":
		return block()
	default:
		return fmt.Errorf("no such action")
	}
	return nil
}

func (p *probe) sql(statement string, arguments ...any) error {
	ctx := context.Background()
	if p.connections[p.database] == nil {
		connection, err := pgx.Connect(ctx, os.Getenv(p.database))
		if err != nil {
			return err
		}
		p.connections[p.database] = connection
	}
	tag, err := p.connections[p.database].Exec(ctx, statement, arguments...)
	if err != nil {
		return err
	}
	fmt.Println("done", tag)
	return nil
}

func (p *probe) toss() error {
	for range 32 {
		side := "heads"
		if rand.IntN(2) == 0 {
			side = "tails"
		}
		if err := p.sql("select '" + side + "'"); err != nil {
			return err
		}
	}
	return nil
}

func (p *probe) call(ref, key string) error {
	body := strings.NewReader(fmt.Sprintf(`{"ref":%q}`, ref))
	request, err := http.NewRequest(http.MethodPost, os.Getenv(p.channel)+"/send", body)
	if err != nil {
		return err
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return answer(request)
}

func (p *probe) ask(ref string) error {
	request, err := http.NewRequest(http.MethodGet, os.Getenv(p.channel)+"/messages?ref="+ref, nil)
	if err != nil {
		return err
	}
	return answer(request)
}

// answer prints what came of a call. That nothing came is an answer too.
func answer(request *http.Request) error {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println("answer: none")
		return nil
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		fmt.Println("answer: cut short")
		return response.Body.Close()
	}
	fmt.Println("answer:", response.StatusCode, string(body))
	return response.Body.Close()
}

func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		return err
	}
	status, _ := strconv.Atoi(os.Getenv("ANSWER"))
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}))
	}()
	return nil
}

// block reads from a pipe that nobody writes to.
func block() error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	_, err = reader.Read(make([]byte, 1))
	_ = writer.Close()
	return err
}
