package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"lostreply/harness/postgres/postgrestest"
)

// binaryVariable names, for the tests, the program under test.
const binaryVariable = "DISPATCHER_TEST_BINARY"

// TestMain builds the program once; the tests run it as anybody would.
func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "dispatcher")
	if err != nil {
		panic(err)
	}
	binary := filepath.Join(directory, "dispatcher")
	output, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build the command: %v\n%s", err, output)
		os.Exit(1)
	}
	os.Setenv(binaryVariable, binary)
	code := m.Run()
	os.RemoveAll(directory)
	os.Exit(code)
}

// command is the program with an environment of just these variables.
func command(t *testing.T, environment []string, arguments ...string) *exec.Cmd {
	t.Helper()
	program := exec.CommandContext(t.Context(), os.Getenv(binaryVariable), arguments...)
	program.Env = environment
	return program
}

// run runs the program to its end and returns its exit code and outputs.
func run(t *testing.T, environment []string, arguments ...string) (int, string, string) {
	t.Helper()
	program := command(t, environment, arguments...)
	var output, errors bytes.Buffer
	program.Stdout, program.Stderr = &output, &errors
	if err := program.Run(); err != nil && program.ProcessState == nil {
		t.Fatal(err)
	}
	return program.ProcessState.ExitCode(), output.String(), errors.String()
}

// expect runs the program and wants code 0 and this output.
func expect(t *testing.T, environment []string, want string, arguments ...string) {
	t.Helper()
	code, output, errors := run(t, environment, arguments...)
	if code != 0 || output != want {
		t.Errorf("%v: exit %d\n got %q\nwant %q\n%s", arguments, code, output, want, errors)
	}
}

// channel is a fake that answers by a function, and the environment of a program that uses it.
func channel(t *testing.T, answer http.HandlerFunc) []string {
	t.Helper()
	url := postgrestest.Database(t, "../../schema.sql")
	connection := postgrestest.Connect(t, url)
	_, err := connection.Exec(t.Context(), `
		INSERT INTO channel_pref (user_id, channel, address) VALUES ('u1', 'push', '+1')`)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return []string{"DATABASE_URL=" + url, "PUSH_URL=" + server.URL}
}

func accept(w http.ResponseWriter, r *http.Request) {
	var message struct{ Ref, To, Body string }
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil ||
		r.Header.Get("Idempotency-Key") != "ntf-"+message.Ref || message.To != "+1" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, `{"id": "m-%s", "replayed": false}`, message.Ref)
}

func hang(_ http.ResponseWriter, r *http.Request) {
	_ = json.NewDecoder(r.Body).Decode(&struct{}{})
	<-r.Context().Done()
}

func TestCreateAndWork(t *testing.T) {
	environment := channel(t, accept)
	create := []string{"create", "--user", "u1", "--event", "e1", "--body", "hello"}
	expect(t, environment, "CREATED notification=1 created=true tasks=1 conflict=false\n", create...)
	expect(t, environment, "CREATED notification=1 created=false tasks=1 conflict=false\n", create...)
	expect(t, environment, "CREATED notification=1 created=false tasks=1 conflict=true\n",
		append(create, "--ttl", "1h")...)
	expect(t, environment, "W a CLAIMED task=1 attempt=1 action=SEND\n"+
		"W a CALLED outcome=ACCEPTED msg=m-task-1\nW a RESULT SENT\n", "work", "--once", "--name", "a")
	expect(t, append(environment, "WORKER_NAME=b"), "W b RESULT NOTHING\n", "work", "--once")
}

func TestDrainAndResolve(t *testing.T) {
	environment := append(channel(t, hang), "WORKER_NAME=a",
		`CHANNELS=[{"channel": "push", "mode": "NEITHER", "url": "http://127.0.0.1:1"}]`)
	for _, event := range []string{"e1", "e2"} {
		code, _, errors := run(t, environment, "create", "--user", "u1", "--event", event)
		if code != 0 {
			t.Fatal(errors)
		}
	}
	var want strings.Builder
	for task := range 2 {
		fmt.Fprintf(&want, "W a CLAIMED task=%d attempt=1 action=SEND\n", task+1)
		want.WriteString("W a CALLED outcome=IO_ERROR msg=null\nW a RESULT UNKNOWN\n")
	}
	expect(t, environment, want.String()+"W a RESULT NOTHING\n", "work", "--drain")
	resolve := []string{"resolve", "--task", "2", "--state", "FAILED", "--note", "not there"}
	expect(t, environment, "RESOLVED rows=1\n", resolve...)
	expect(t, environment, "RESOLVED rows=0\n", resolve...)
}

func TestUsageErrors(t *testing.T) {
	database := "DATABASE_URL=postgres://127.0.0.1:1/none"
	push := "PUSH_URL=http://127.0.0.1:1"
	for _, row := range []struct {
		environment []string
		arguments   string
		want        string
		code        int
	}{
		{nil, "", "create, work or resolve", 2},
		{nil, "deliver", `no command "deliver"`, 2},
		{nil, "work --onec", "not defined: -onec", 2},
		{nil, "work now", `unexpected argument "now"`, 2},
		{nil, "work --once --drain", "one of --once and --drain", 2},
		{nil, "work --once", "no channel has a URL", 2},
		{[]string{push}, "work --once", "DATABASE_URL is not set", 2},
		{[]string{push, database}, "work --once --lease 3s", "would be overtaken", 2},
		{[]string{push, database}, "work --once", "connect to the database", 1},
		{[]string{database, "CHANNELS={}"}, "work", "CHANNELS: json:", 2},
		{[]string{database, "CHANNELS=[] []"}, "work", "more than one JSON value", 2},
		{[]string{database, `CHANNELS=[{"chanel": "fax"}]`}, "work", `unknown field "chanel"`, 2},
		{[]string{database, `CHANNELS=[{"channel": "fax", "mode": "NEITHER"}]`}, "work", "FAX_URL", 2},
		{[]string{database, `CHANNELS=[{"channel": "fax", "mode": "QUERYABLE", "url": "http://f",
			"query": {"settle": "1 hour"}}]`}, "work", "settle time of channel", 2},
		{[]string{database}, "create --event e", "no user", 2},
		{[]string{database}, "create --user u --event e --attempts 0", "at least 1", 2},
		{[]string{database}, "create --user u --event e", "connect to the database", 1},
		{[]string{database}, "resolve --state SENT", "--task is needed", 2},
		{[]string{database}, "resolve --task 1 --state PENDING", "SENT or FAILED", 2},
	} {
		code, output, errors := run(t, row.environment, strings.Fields(row.arguments)...)
		if code != row.code || output != "" || !strings.Contains(errors, row.want) {
			t.Errorf("%s: exit %d, want %d\noutput %q\nerrors %q, want %q",
				row.arguments, code, row.code, output, errors, row.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, arguments := range []string{"--help", "help", "work --help", "create -h", "resolve -h"} {
		code, output, errors := run(t, nil, strings.Fields(arguments)...)
		if code != 0 || !strings.HasPrefix(output, "usage: dispatcher") || errors != "" {
			t.Errorf("%s: exit %d\n%s%s", arguments, code, output, errors)
		}
	}
}

// follow starts the program and gives its lines as they come.
func follow(t *testing.T, program *exec.Cmd) *bufio.Scanner {
	t.Helper()
	output, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(output)
}

func TestAnIdleWorkerEndsOnSIGTERM(t *testing.T) {
	program := command(t, channel(t, accept), "work", "--name", "a", "--poll", "1h")
	lines := follow(t, program)
	if !lines.Scan() || lines.Text() != "W a RESULT NOTHING" {
		t.Fatalf("first line %q", lines.Text())
	}
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
}

func TestABusyWorkerFinishesItsCallOnSIGTERM(t *testing.T) {
	called, answer := make(chan struct{}), make(chan struct{})
	environment := channel(t, func(w http.ResponseWriter, r *http.Request) {
		close(called)
		<-answer
		accept(w, r)
	})
	run(t, environment, "create", "--user", "u1", "--event", "e1")
	program := command(t, environment, "work", "--name", "a", "--poll", "1h")
	lines := follow(t, program)
	<-called
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	close(answer)
	var last string
	for lines.Scan() {
		last = lines.Text()
	}
	if err := program.Wait(); err != nil || last != "W a RESULT SENT" {
		t.Errorf("the worker ended with %v after %q", err, last)
	}
}

// A worker that was stopped during its call wakes to a call that has timed out and a task that has
// gone on without it.
func TestAStoppedWorkerWakesToAStaleResult(t *testing.T) {
	stopped := make(chan struct{})
	var calls atomic.Int32
	environment := channel(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) > 1 {
			accept(w, r)
			return
		}
		close(stopped)
		hang(w, r)
	})
	run(t, environment, "create", "--user", "u1", "--event", "e1")
	program := command(t, environment, "work", "--once", "--name", "a", "--timeout", "3s",
		"--lease", "1s", "--allow-overlap")
	lines := follow(t, program)
	<-stopped
	if err := program.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	database := postgrestest.Connect(t, strings.TrimPrefix(environment[0], "DATABASE_URL="))
	_, err := database.Exec(context.Background(),
		"UPDATE delivery_task SET lease_until = now() - interval '1 hour'")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, environment, "W b CLAIMED task=1 attempt=2 action=SEND\n"+
		"W b CALLED outcome=ACCEPTED msg=m-task-1\nW b RESULT SENT\n", "work", "--once", "--name", "b")
	if err := program.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	var heard []string
	for lines.Scan() {
		heard = append(heard, lines.Text())
	}
	want := "W a CLAIMED task=1 attempt=1 action=SEND;" +
		"W a CALLED outcome=TIMEOUT msg=null;W a RESULT STALE"
	if err := program.Wait(); err != nil || strings.Join(heard, ";") != want {
		t.Errorf("the stopped worker ended with %v, having said\n%s", err, strings.Join(heard, "\n"))
	}
	var facts string
	err = database.QueryRow(context.Background(), `
		SELECT t.state || ' ' || a.outcome || ' ' || a.late_outcome
		  FROM delivery_task t JOIN delivery_attempt a ON a.task_id = t.id WHERE a.worker = 'a'`,
	).Scan(&facts)
	if err != nil || facts != "SENT LEASE_EXPIRED TIMEOUT" {
		t.Errorf("facts %q, %v", facts, err)
	}
}
