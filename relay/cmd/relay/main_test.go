package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/postgres/postgrestest"
)

// binaryVariable names, for the tests, the program under test.
const binaryVariable = "RELAY_TEST_BINARY"

// TestMain builds the program once; the tests run it as anybody would.
func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "relay")
	if err != nil {
		panic(err)
	}
	binary := filepath.Join(directory, "relay")
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

const conf = "--conf=../../conf"

// place is where a test runs the program: its input and environment.
type place struct {
	t           *testing.T
	input       string
	environment []string
}

// run runs the program to its end and returns its exit code and outputs.
func (p place) run(arguments ...string) (int, string, string) {
	p.t.Helper()
	program := exec.CommandContext(p.t.Context(), os.Getenv(binaryVariable), arguments...)
	program.Env = p.environment
	program.Stdin = strings.NewReader(p.input)
	var output, errors bytes.Buffer
	program.Stdout, program.Stderr = &output, &errors
	if err := program.Run(); err != nil && program.ProcessState == nil {
		p.t.Fatal(err)
	}
	return program.ProcessState.ExitCode(), output.String(), errors.String()
}

// expect runs the program and wants this code, this in its output and this in its errors.
func (p place) expect(code int, output, complaint string, arguments ...string) {
	p.t.Helper()
	gotCode, gotOutput, gotErrors := p.run(arguments...)
	if gotCode != code || !strings.Contains(gotOutput, output) ||
		!strings.Contains(gotErrors, complaint) {
		p.t.Errorf("%v: exit %d, want %d\noutput %.500q\nwant %q\nerrors %.500q\nwant %q",
			arguments, gotCode, code, gotOutput, output, gotErrors, complaint)
	}
}

// acking is a sink that acknowledges what it gets.
func acking(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"acks":[%q]}`, r.Header.Get("Item-Id"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func newPlace(t *testing.T, input string) place {
	t.Helper()
	return place{t, input, []string{
		"DATABASE_URL=" + postgrestest.Database(t, "../../schema.sql"), "SINK_URL=" + acking(t),
	}}
}

func event(seq int, change string) string {
	return fmt.Sprintf(`{"evt_id":"e","tenant_id":"t1","seq_no":%d,"core_version":"2.0",`+
		`"change":"%s"}`, seq, change)
}

// Ten megabytes are refused by their length alone, and what stands behind them is read.
func TestAnEventLongerThanTheQueue(t *testing.T) {
	long := event(1, strings.Repeat("x", 10<<20))
	p := newPlace(t, long+"\n"+event(2, "price")+"\n\n  \n"+event(3, "price"))
	p.expect(2, "REFUSED line=1 event-too-long\nADMITTED item=t1-2\nADMITTED item=t1-3\n"+
		"RESULT pushed=3 refused=1\n", "are more than the queue can ever hold, 262144",
		"push", conf)
	report := filepath.Join(t.TempDir(), "report.json")
	p.expect(0, "RESULT ACKED item=t1-2", "", "run", "--drain", conf, "--report", report)
	p.expect(2, `"issues":["refused event-too-long=1"]`, "", "health", conf, "--report", report)
}

// An event of exactly the queue's size is taken; one byte more is not.
func TestAnEventAsLongAsTheQueue(t *testing.T) {
	fits := event(1, strings.Repeat("x", 262144-len(event(1, ""))))
	p := newPlace(t, fits+"\r\n"+strings.Replace(fits, "xx", "xxx", 1)+"\n")
	p.expect(2, "ADMITTED item=t1-1\nREFUSED line=2 event-too-long\n", "", "push", conf)
}

func TestWhatIsNoEvent(t *testing.T) {
	p := newPlace(t, "")
	for _, row := range []struct{ line, reason string }{
		{"{", "not-json"},
		{"[]", "not-json"},
		{"null", "not-json"},
		{`"text"`, "not-json"},
		{"\xff\xfe", "not-json"},
		{event(1, "a") + event(2, "b"), "not-json"},
		{"{}", "required-field-missing"},
		{`{"tenant_id":null}`, "required-field-missing"},
		{`{"tenant_id":7}`, "unknown-tenant"},
		{`{"tenant_id":"T1"}`, "unknown-tenant"},
		{`{"tenant_id":"t1"}`, "core-version-mismatch"},
		{`{"tenant_id":"t1","core_version":2.0}`, "core-version-mismatch"},
		{`{"tenant_id":"t1","core_version":"2.0","seq_no":1}`, "required-field-missing"},
		{`{"tenant_id":"t1","core_version":"2.0","seq_no":1,"evt_id":""}`, "required-field-missing"},
		{`{"tenant_id":"t1","core_version":"2.0","evt_id":"e","seq_x":1}`, "required-field-missing"},
		{`{"tenant_id":"t1","core_version":"2.0","evt_id":"e","seq_no":"1"}`, "field-unusable"},
		{`{"tenant_id":"t1","core_version":"2.0","evt_id":"e","seq_no":1.5}`, "field-unusable"},
		{`{"tenant_id":"t1","core_version":"2.0","evt_id":"e","seq_no":9223372036854775808}`,
			"field-unusable"},
	} {
		p.input = row.line
		p.expect(2, "REFUSED line=1 "+row.reason+"\nRESULT pushed=1 refused=1\n", row.reason,
			"push", conf)
	}
}

func TestAReportThatCantBeJudged(t *testing.T) {
	folder := t.TempDir()
	p := place{t: t}
	p.expect(2, "", "can't judge: no report", "health", conf, "--report", folder+"/none.json")
	for name, content := range map[string]string{
		"empty": "", "half": `{"pushed":`, "null": "null", "other": `{"colour":1}`, "bare": "{}",
		"two": `{"tenants":{}}{}`,
	} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		p.expect(2, "", "can't judge", "health", conf, "--report", file)
	}
}

func TestUsageErrors(t *testing.T) {
	queue := "DATABASE_URL=postgres://127.0.0.1:1/none"
	sink := "SINK_URL=http://127.0.0.1:1"
	for _, row := range []struct {
		environment []string
		arguments   string
		want        string
		code        int
	}{
		{nil, "", "a command is needed", 64},
		{nil, "sent", `no command "sent"`, 64},
		{nil, "push", "--conf is needed", 64},
		{nil, "push --conf=../../conf now", `unexpected argument "now"`, 64},
		{nil, "run --once --drain " + conf, "one of --once and --drain", 64},
		{nil, "run --poll 0s " + conf, "--poll above 0", 64},
		{nil, "push " + conf, "[FATAL] contract topology.env: NOTIFYD_QUEUE_URL_IN", 3},
		{[]string{queue}, "run " + conf, "[FATAL] contract topology.env: NOTIFYD_SINK_URL_IN", 3},
		{[]string{queue, "SINK_URL=sink"}, "run " + conf, "is none", 64},
		{[]string{queue, sink}, "run --redelivery 10s " + conf, "must be longer than", 64},
		{[]string{queue, sink}, "run --timeout 0s " + conf, "must be above 0", 64},
		{[]string{queue, sink}, "run --park-after 0 " + conf, "at least 1", 64},
		{[]string{queue, sink}, "run --send-buffer -1 " + conf, "a send buffer of -1 bytes", 64},
		{[]string{queue, sink}, "run --once " + conf, "connect to the database", 1},
		{[]string{queue}, "push --events none.jsonl " + conf, "read the events", 1},
		{[]string{queue}, "report " + conf, "--report is needed", 64},
		{nil, "health " + conf, "--report is needed", 64},
		{[]string{queue}, "resolve --item t1-1 " + conf, "--item and --note are needed", 64},
		{nil, "health --conf=nowhere", "[FATAL] contract nowhere/notifyd.env", 3},
	} {
		p := place{t: t, environment: row.environment}
		p.expect(row.code, "", row.want, strings.Fields(row.arguments)...)
	}
}

func TestHelp(t *testing.T) {
	for _, line := range []string{
		"--help", "help", "push --help", "run --help", "collect --help", "report --help",
		"health --help", "resolve --help",
	} {
		place{t: t}.expect(0, "usage: relay", "", strings.Fields(line)...)
	}
}

func TestResolvingWhatIsNotParked(t *testing.T) {
	newPlace(t, "").expect(1, "", "resolve item t1-1: the item is not parked",
		"resolve", conf, "--item=t1-1", "--note=again")
}
