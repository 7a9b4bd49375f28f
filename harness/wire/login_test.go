package wire_test

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"lostreply/harness/event"
	"lostreply/harness/wire"
)

func TestAClientThatDemandsTLSGetsIt(t *testing.T) {
	authority, err := wire.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority.PEM()) {
		t.Fatal("the authority's PEM holds no certificate")
	}
	b := open(t, nil, func(c *wire.Config) { c.Authority = authority })
	for _, how := range []string{"postgres", "direct"} {
		worker := b.connect(t, func(c *pgx.ConnConfig) {
			c.TLSConfig = &tls.Config{RootCAs: roots, ServerName: "localhost",
				NextProtos: []string{"postgresql"}}
			c.SSLNegotiation = how
		})
		b.exec(t, worker, "select 1")
		if err := worker.PgConn().CancelRequest(b.ctx); err != nil {
			t.Errorf("cancel over TLS: %v", err)
		}
	}
	if b.Connections() != 2 {
		t.Errorf("%d connections came through, expected 2", b.Connections())
	}
}

func TestTLSIsRefusedPolitelyWithoutAnAuthority(t *testing.T) {
	b := open(t, nil)
	preferring := strings.Replace(b.url(), "sslmode=disable", "sslmode=prefer", 1)
	worker, err := pgx.Connect(b.ctx, preferring)
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close(b.ctx)
	demanding := strings.Replace(b.url(), "sslmode=disable", "sslmode=require", 1)
	if _, err := pgx.Connect(b.ctx, demanding); err == nil ||
		!strings.Contains(err.Error(), "refused TLS") {
		t.Errorf("expected the driver to say that TLS was refused, got %v", err)
	}
	if b.Connections() != 1 {
		t.Errorf("%d connections came through, expected 1", b.Connections())
	}
	if troubles := b.Troubles(); len(troubles) != 0 {
		t.Errorf("troubles %v", troubles)
	}
}

// A login with a password takes its own messages, which are passed through: by the server's own
// rules for one role, written in front of its pg_hba.conf.
func TestLoginsWithAPasswordPassThrough(t *testing.T) {
	b := open(t, nil)
	for method, encryption := range map[string]string{
		"scram-sha-256": "scram-sha-256", "md5": "md5", "password": "scram-sha-256",
	} {
		role := "login_" + strings.ReplaceAll(method, "-", "_")
		b.exec(t, b.harness, "set password_encryption = '"+encryption+"'")
		b.exec(t, b.harness, "create role "+role+" login password 'secret'")
		b.exec(t, b.harness, `do $do$ declare rules text := pg_read_file(current_setting('hba_file'));
		begin
			execute format('copy (select unnest(string_to_array(%L, E''\n''))) to %L',
				'local all `+role+` `+method+`' || E'\n' || rules, current_setting('hba_file'));
		end $do$`)
		b.exec(t, b.harness, "select pg_reload_conf()")
		b.until(t, "select count(*) > 0 from pg_hba_file_rules where $1 = any(user_name)", role)
		t.Cleanup(func() {
			b.exec(t, b.harness, "drop role "+role)
		})
		login := func(password string) error {
			config, err := pgconn.ParseConfig(b.url())
			if err != nil {
				t.Fatal(err)
			}
			config.User, config.Password = role, password
			worker, err := pgconn.ConnectConfig(b.ctx, config)
			if err == nil {
				_ = worker.Close(b.ctx)
			}
			return err
		}
		if err := login("secret"); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if err := login("wrong"); sqlState(err) != "28P01" {
			t.Errorf("%s with a wrong password: %v, expected 28P01", method, err)
		}
	}
}

func TestNewConnectionsAreRefusedUntilTheEventComes(t *testing.T) {
	b := open(t, nil)
	before := b.connect(t)
	until := b.gate.Watch(func(e event.Event) bool { return e.Has(event.CommitName) })
	refusal := wire.NewRefusal(until)
	b.Refuse(refusal)
	if _, err := pgx.Connect(b.ctx, b.url()); sqlState(err) != "57P03" {
		t.Fatalf("expected 57P03, got %v", err)
	}
	if refusal.Met() != 1 || refusal.Over() {
		t.Errorf("met %d, over %t; expected 1 and false", refusal.Met(), refusal.Over())
	}
	b.exec(t, before, "begin") // a connection that there was goes on, and brings the end
	b.exec(t, before, "commit")
	if !refusal.Over() {
		t.Error("the event has come, and the refusal goes on")
	}
	b.exec(t, b.connect(t), "select 1")
	if refusal.Met() != 1 {
		t.Errorf("met %d after its end, expected 1", refusal.Met())
	}
}
