package wire_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// replicating makes a connection one for replication, as the start-up parameter says.
func replicating(how string) func(*pgx.ConnConfig) {
	return func(config *pgx.ConnConfig) {
		config.RuntimeParams["replication"] = how
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	}
}

// What a replication connection says is neither read nor numbered, and reaches the server as it is.
func TestAReplicationConnectionIsLeftAlone(t *testing.T) {
	for _, how := range []string{"database", "true"} {
		b := open(t, nil)
		worker := b.connect(t, replicating(how))
		results, err := worker.PgConn().Exec(b.ctx, "IDENTIFY_SYSTEM").ReadAll()
		if err != nil {
			t.Fatalf("replication=%s: %v", how, err)
		}
		heard := string(results[0].Rows[0][0])
		var system string
		err = b.harness.QueryRow(b.ctx,
			"select system_identifier::text from pg_control_system()").Scan(&system)
		if err != nil {
			t.Fatal(err)
		}
		if heard != system {
			t.Errorf("replication=%s: system %s, expected %s", how, heard, system)
		}
		if how == "database" {
			b.exec(t, worker, "begin; select 1; commit")
		}
		if b.Connections() != 1 {
			t.Errorf("replication=%s: %d connections, expected 1", how, b.Connections())
		}
		b.sees(t, "")
	}
}

// The stream goes both ways at once, which no turn does.
func TestAReplicationStreamPassesBothWays(t *testing.T) {
	b := open(t, nil)
	b.exec(t, b.harness, "create table counter (n int)")
	var start string
	if err := b.harness.QueryRow(b.ctx, "select pg_current_wal_lsn()::text").Scan(&start); err != nil {
		t.Fatal(err)
	}
	hijacked, err := b.connect(t, replicating("true")).PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hijacked.Conn.Close() })
	worker := raw{hijacked.Frontend, b}
	worker.say(t, &pgproto3.Query{String: "START_REPLICATION PHYSICAL " + start})
	worker.hears(t, "W")
	b.exec(t, b.harness, "insert into counter values (1)")
	var end uint64
	for end == 0 {
		message, err := worker.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := message.(*pgproto3.CopyData); ok && data.Data[0] == 'w' {
			end = binary.BigEndian.Uint64(data.Data[1:]) + uint64(len(data.Data)-25)
		}
	}
	// A standby's status: written, flushed and applied so far, no time, no answer asked for.
	status := []byte{'r'}
	for range 3 {
		status = binary.BigEndian.AppendUint64(status, end)
	}
	status = append(status, make([]byte, 9)...)
	worker.say(t, &pgproto3.CopyData{Data: status})
	b.until(t, "select count(*) = 1 from pg_stat_replication where flush_lsn = $1::text::pg_lsn",
		fmt.Sprintf("%X/%X", end>>32, uint32(end)))
	worker.say(t, &pgproto3.CopyDone{})
	for {
		message, err := worker.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := message.(*pgproto3.ReadyForQuery); ok {
			break
		}
	}
	b.sees(t, "")
}

// A worker that is killed takes its walsender with it, as it does any backend.
func TestTheEndOfAReplicatingWorkerEndsItsBackend(t *testing.T) {
	b := open(t, nil)
	worker := b.connect(t, replicating("true"))
	const walsenders = "select count(*) from pg_stat_activity where backend_type = 'walsender'"
	if n := b.value(t, walsenders); n != 1 {
		t.Fatalf("%d walsenders, expected one", n)
	}
	b.gate.MarkDead("a", 1)
	_ = worker.PgConn().Conn().Close()
	if err := b.Close(b.ctx); err != nil {
		t.Fatal(err)
	}
	if n := b.value(t, walsenders); n != 0 {
		t.Errorf("%d walsenders remain", n)
	}
}
