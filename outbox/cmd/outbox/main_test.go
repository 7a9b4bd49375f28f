package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lostreply/harness/postgres/postgrestest"
)

// binaryVariable names, for the tests, the program under test.
const binaryVariable = "OUTBOX_TEST_BINARY"

// TestMain builds the program once; the tests run it as anybody would.
func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "outbox")
	if err != nil {
		panic(err)
	}
	binary := filepath.Join(directory, "outbox")
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

// expect runs the program and wants this code, this output and this in its errors.
func expect(
	t *testing.T, environment []string, code int, output, complaint string, arguments ...string,
) {
	t.Helper()
	gotCode, gotOutput, gotErrors := run(t, environment, arguments...)
	if gotCode != code || gotOutput != output || !strings.Contains(gotErrors, complaint) ||
		(complaint == "" && gotErrors != "") {
		t.Errorf("%v: exit %d, want %d\n got %q\nwant %q\nerrors %q, want %q",
			arguments, gotCode, code, gotOutput, output, gotErrors, complaint)
	}
}

// databases are three new ones, as the environment tells of them.
func databases(t *testing.T) []string {
	t.Helper()
	var environment []string
	for _, name := range []string{"sender", "queue", "receiver"} {
		url := postgrestest.Database(t, "../../schema/"+name+".sql")
		environment = append(environment, strings.ToUpper(name)+"_URL="+url)
	}
	return environment
}

func TestTheRoles(t *testing.T) {
	environment := databases(t)
	accept := []string{"accept", "--contract", "R1", "--amount", "25"}
	expect(t, environment, 0, "ACCEPTED contract=R1 amount=25 msg=contract-R1 created=true\n", "",
		accept...)
	expect(t, environment, 0, "ACCEPTED contract=R1 amount=25 msg=contract-R1 created=false\n", "",
		accept...)
	expect(t, environment, 3, "", "payload conflict", "accept", "--contract", "R1", "--amount", "26")
	expect(t, environment, 0, "LOCKED msg=contract-R1\nQUEUED msg=contract-R1 delivery=1\n"+
		"RESULT SENT\nRESULT NOTHING\n", "", "publish", "--drain")
	expect(t, environment, 0, "RESULT NOTHING\n", "", "publish", "--once")
	expect(t, environment, 0, "TAKEN delivery=1 msg=contract-R1 failures=0\n"+
		"RECEIVED msg=contract-R1 BOOKED\nRESULT BOOKED\n", "", "consume", "--once")
	expect(t, environment, 3, "TAKEN delivery=2 msg=contract-R1 failures=0\nRESULT CONFLICT\n",
		"payload conflict: message contract-R1 was processed as", "conflict", "--msg", "contract-R1",
		"--payload", `{"contract": "R1", "amount": 99}`)
	books := "SENDER contracts=1 unsent=0 sent=1\n" +
		"QUEUE deliveries=%d acked=1 unacked=%d dead=%d redriven=%d conflicts=%d\n" +
		"RECEIVER inbox=1 ledger=25\nBOOKS %s\n"
	expect(t, environment, 0, fmt.Sprintf(books, 2, 0, 1, 0, 1, "BALANCED"), "", "verify")
	expect(t, environment, 0, "REDRIVEN letter=1 msg=contract-R1 delivery=3\nREDRIVEN letters=1\n",
		"", "redrive", "--all")
	expect(t, environment, 0, fmt.Sprintf(books, 3, 1, 0, 1, 1, "UNDER WAY"), "", "verify")
	expect(t, environment, 3, "TAKEN delivery=3 msg=contract-R1 failures=0\nRESULT CONFLICT\n"+
		"RESULT NOTHING\n", "payload conflict", "consume", "--drain")
	expect(t, environment, 0, fmt.Sprintf(books, 3, 0, 1, 1, 2, "BALANCED"), "", "verify")
	expect(t, environment, 0, "REDRIVEN letters=0\n", "", "redrive", "--letter", "1")
	expect(t, environment, 0, "PURGED messages=0\n", "", "purge", "--retention", "1h")
	expect(t, environment, 0, "PURGED messages=1\n", "", "purge", "--retention", "0s")
}

func TestADrainGoesOnPastFailures(t *testing.T) {
	environment := databases(t)
	queue := postgrestest.Connect(t, strings.TrimPrefix(environment[1], "QUEUE_URL="))
	_, err := queue.Exec(t.Context(), `INSERT INTO delivery (msg_id, payload) VALUES
		('M1', 'nonsense'), ('M2', '{"contract": "R2", "amount": 7}')`)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, environment, 1, "TAKEN delivery=1 msg=M1 failures=0\nRESULT BURIED\n"+
		"TAKEN delivery=2 msg=M2 failures=0\nRECEIVED msg=M2 BOOKED\nRESULT BOOKED\n"+
		"RESULT NOTHING\n", "unreadable payload", "consume", "--drain")
}

func TestUsageErrors(t *testing.T) {
	sender := "SENDER_URL=postgres://127.0.0.1:1/none"
	queue := "QUEUE_URL=postgres://127.0.0.1:1/none"
	receiver := "RECEIVER_URL=postgres://127.0.0.1:1/none"
	for _, row := range []struct {
		environment []string
		arguments   string
		want        string
		code        int
	}{
		{nil, "", "a role is needed", 2},
		{nil, "deliver", `no role "deliver"`, 2},
		{nil, "publish --onec", "not defined: -onec", 2},
		{nil, "publish now", `unexpected argument "now"`, 2},
		{nil, "publish --once --drain", "one of --once and --drain", 2},
		{nil, "consume --poll 0s", "--poll above 0", 2},
		{nil, "publish --once", "SENDER_URL is not set", 2},
		{[]string{sender}, "publish --once", "QUEUE_URL is not set", 2},
		{[]string{queue}, "consume --once", "RECEIVER_URL is not set", 2},
		{[]string{sender, queue}, "publish --once --timeout 0s", "timeout 0s must be above 0", 2},
		{[]string{sender, queue}, "publish --once --max-delay 1ms", "retry delay", 2},
		{[]string{queue, receiver}, "consume --max-failures 0", "at least 1 is needed", 2},
		{[]string{sender, queue}, "publish --once", "connect to the database", 1},
		{[]string{queue, receiver}, "consume --drain", "connect to the database", 1},
		{[]string{sender, queue, receiver}, "verify", "audit the sender", 1},
		{[]string{sender}, "accept --amount 25", "no contract", 2},
		{[]string{sender}, "accept --contract R1 --amount many", "no decimal number", 2},
		{[]string{sender}, "accept --contract R1 --amount 25", "accept contract R1", 1},
		{[]string{queue, receiver}, "conflict --msg M1", "--msg and --payload are needed", 2},
		{[]string{queue}, "redrive", "one of --letter and --all", 2},
		{[]string{queue}, "redrive --all --letter 1", "one of --letter and --all", 2},
		{[]string{receiver}, "purge --retention -1s", "is below 0", 2},
	} {
		code, output, errors := run(t, row.environment, strings.Fields(row.arguments)...)
		if code != row.code || output != "" || !strings.Contains(errors, row.want) {
			t.Errorf("%s: exit %d, want %d\noutput %q\nerrors %q, want %q",
				row.arguments, code, row.code, output, errors, row.want)
		}
	}
}

func TestHelp(t *testing.T) {
	roles := []string{"accept", "publish", "consume", "conflict", "verify", "redrive", "purge"}
	lines := []string{"--help", "help", "-h"}
	for _, role := range roles {
		lines = append(lines, role+" --help")
	}
	for _, line := range lines {
		code, output, errors := run(t, nil, strings.Fields(line)...)
		if code != 0 || !strings.HasPrefix(output, "usage: outbox") || errors != "" {
			t.Errorf("%s: exit %d\n%s%s", line, code, output, errors)
		}
	}
}

func TestAnIdleWorkerEndsOnSIGTERM(t *testing.T) {
	environment := databases(t)
	for _, role := range []string{"publish", "consume"} {
		program := command(t, environment, role, "--poll", "1h")
		pipe, err := program.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, len("RESULT NOTHING\n"))
		if _, err := pipe.Read(line); err != nil || string(line) != "RESULT NOTHING\n" {
			t.Fatalf("first line %q, %v", line, err)
		}
		if err := program.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := program.Wait(); err != nil {
			t.Errorf("%s ended with %v", role, err)
		}
	}
}
