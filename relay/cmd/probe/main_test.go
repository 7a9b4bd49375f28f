package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lostreply/harness/postgres/postgrestest"
)

// The probe would believe the relay if it counted by the relay's code.
func TestTheProbeSharesNoCodeWithTheRelay(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, imported := range strings.Fields(string(output)) {
		if strings.HasPrefix(imported, "lostreply/") && imported != "lostreply/relay/cmd/probe" {
			t.Errorf("the probe is built from %s", imported)
		}
	}
}

// stand is a database, a sink's log and a report, and what the probe makes of them.
type stand struct {
	t           *testing.T
	log         string
	claims      map[string]any
	environment map[string]string
	report      string
}

const item = `{"evt_id":"e","tenant_id":"t1","seq_no":1,"core_version":"2.0"}`

// honest is one item, acked by the sink, with a report that says so.
func honest(t *testing.T) *stand {
	t.Helper()
	s := &stand{t: t, report: filepath.Join(t.TempDir(), "report.json")}
	url := postgrestest.Database(t, "../../schema.sql")
	sql := postgrestest.Connect(t, url)
	_, err := sql.Exec(t.Context(), `
		WITH t AS (INSERT INTO tenant VALUES ('t1') RETURNING name),
		     q AS (INSERT INTO queue (capacity_bytes) VALUES (262144))
		INSERT INTO item (id, tenant, seq_no, body, bytes, unacked_limit, admitted_as, acked_as,
		                  deliveries, due_at)
		SELECT 't1-1', name, 1, $1::bytea, octet_length($1::bytea), 8, 1, 2, 1, NULL FROM t`, []byte(item))
	if err != nil {
		t.Fatal(err)
	}
	s.log = `{"records":[{"kind":"request","key":"t1-1","accepted":true,"status":200,` +
		`"outcome":"answered","answer":"{\"acks\":[\"t1-1\"]}"}]}`
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/log" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(s.log))
	}))
	t.Cleanup(sink.Close)
	s.environment = map[string]string{"DATABASE_URL": url, "SINK_URL": sink.URL}
	size := len(item)
	s.claims = map[string]any{
		"pushed": 1, "pushes_delivered": 1, "acked": 1, "sink_received": 1, "unacked": 0,
		"unacked_peak": 1, "overlimit_pushes": 0, "queue_written_bytes": size, "queue_used_bytes": 0,
		"queue_capacity_bytes": 262144, "queue_capacity_mismatch": 0, "parked": 0,
		"events_repeated": 0, "queue_dropped_entries": 0, "refused": nil,
		"tenants": map[string]any{"t1": map[string]any{"unacked": 0}},
	}
	return s
}

// expect runs the probe and wants this code, and this in what it prints.
func (s *stand) expect(code int, want string) {
	s.t.Helper()
	content, err := json.Marshal(s.claims)
	if err == nil && s.claims != nil {
		err = os.WriteFile(s.report, content, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	var output, complaints bytes.Buffer
	got := run([]string{"--conf=../../conf", "--report=" + s.report}, &output, &complaints,
		func(name string) string { return s.environment[name] })
	if said := output.String() + complaints.String(); got != code || !strings.Contains(said, want) {
		s.t.Errorf("exit %d, want %d and %q:\n%s", got, code, want, said)
	}
}

func TestAnHonestRelay(t *testing.T) { honest(t).expect(0, "RESULT: OK") }

// Each claim that has a twin is held against it; one that is missing is as wrong as a false one.
func TestEachClaimIsHeldAgainstItsTwin(t *testing.T) {
	s := honest(t)
	for _, pair := range compared {
		for _, lie := range []any{7, nil, "1"} {
			right := s.claims[pair.claim]
			s.claims[pair.claim] = lie
			s.expect(2, "BAD the relay claims "+pair.claim+"=")
			s.claims[pair.claim] = right
		}
	}
	s.claims["tenants"] = map[string]any{"t1": map[string]any{"unacked": 3}}
	s.expect(2, `BAD the relay claims unacked=3 of tenant "t1", and it is 0`)
	s.claims["tenants"] = nil
	s.expect(2, "BAD the relay claims nothing by tenant")
}

func TestEventsThatAreNowhere(t *testing.T) {
	s := honest(t)
	s.claims["pushed"] = 4
	s.claims["refused"] = map[string]any{"not-json": 1}
	s.expect(2, "dropped_unaccounted=2, and the relay claims queue_dropped_entries=0")
	s.claims["pushed"] = 1
	s.expect(2, "counted_twice=1")
}

func TestASinkThatSaysOtherwise(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{`{\"acks\":[\"t1-1\"]}`, `{\"acks\":[]}`, "BAD acked_without_ack=1"},
		{`"answered"`, `"severed"`, "BAD acked_without_ack=1"},
		{`"status":200`, `"status":503`, "BAD acked_without_ack=1"},
		{`"kind":"request"`, `"kind":"query"`, "BAD acked_without_delivery=1"},
		{`[\"t1-1\"]`, `[\"t1-1\",\"t1-9\"]`, "BAD sink_acks_of_unknown_items=1"},
		{`"key":"t1-1"`, `"key":"t1-9"`, "BAD deliveries_of_unknown_items=1"},
	} {
		s := honest(t)
		if !strings.Contains(s.log, row.old) {
			t.Fatalf("%s is not in %s", row.old, s.log)
		}
		s.log = strings.Replace(s.log, row.old, row.new, 1)
		s.expect(2, row.want)
	}
}

// What can't be judged is never well.
func TestWhatCantBeJudged(t *testing.T) {
	s := honest(t)
	s.log = "{}"
	s.expect(2, "can't judge: read the sink's log: it is none")
	s = honest(t)
	s.environment["DATABASE_URL"] = postgrestest.Database(t, "../../schema.sql")
	s.expect(2, "can't judge: there is no queue")
	s.environment["DATABASE_URL"] = ""
	s.expect(2, "can't judge: the queue's address")
	s = honest(t)
	s.claims = nil
	s.expect(2, "can't judge: read the relay's claims")
}

func TestMain(m *testing.M) { postgrestest.Main(m) }
