package relay_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lostreply/relay"
)

// contractFiles are the shipped ones, to be spoilt one by one.
func contractFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{relay.LimitsFile, relay.TopologyFile, relay.TenantsFile} {
		content, err := os.ReadFile(filepath.Join("conf", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	return files
}

func writeContract(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestTheShippedContract(t *testing.T) {
	contract, err := relay.LoadContract("conf")
	if err != nil {
		t.Fatal(err)
	}
	want := &relay.Contract{
		UnackedLimit: 8, QueueMaxBytes: 16384, QueueSizeBytes: 262144,
		FieldPrefixes: []string{"evt_", "tenant_", "seq_"}, CoreVersion: "2.0", Producer: "core",
		QueueURLIn: "DATABASE_URL", SinkURLIn: "SINK_URL",
		Tenants: []string{"t1", "t2", "t3", "t4"},
	}
	if !reflect.DeepEqual(contract, want) {
		t.Errorf("contract %+v, want %+v", contract, want)
	}
}

// Each row replaces a text of the contract; the error must name the file and the key.
func TestAContractThatCantBeUsed(t *testing.T) {
	const limits = relay.LimitsFile
	for _, row := range []struct{ name, file, old, new, key, reason string }{
		{"not a number", limits, "LIMIT=8 ", "LIMIT=eight ", relay.KeyUnackedLimit, `"eight" is no`},
		{"a fraction", limits, "LIMIT=8 ", "LIMIT=8.5 ", relay.KeyUnackedLimit, `"8.5" is no whole`},
		{"zero", limits, "LIMIT=8 ", "LIMIT=0 ", relay.KeyUnackedLimit, "0 is not above 0"},
		{"negative", limits, "MAX_BYTES=16384", "MAX_BYTES=-1", relay.KeyMaxBytes, "-1 is not above"},
		{"too large", limits, "SIZE_BYTES=262144", "SIZE_BYTES=9223372036854775808",
			relay.KeySizeBytes, "does not fit into 64 bits"},
		{"capacity 0", limits, "SIZE_BYTES=262144", "SIZE_BYTES=0", relay.KeySizeBytes, "not above 0"},
		{"contradiction", limits, "MAX_BYTES=16384", "MAX_BYTES=262145", relay.KeyMaxBytes,
			"contradicts itself"},
		{"no value", limits, "VERSION=2.0", "VERSION=", relay.KeyCoreVersion, "missing or has no value"},
		{"no key", limits, "NOTIFYD_REQUIRED_CORE_VERSION=2.0", "#", relay.KeyCoreVersion, "missing"},
		{"empty list", limits, "evt_,tenant_,seq_", ",", relay.KeyPrefixes, "has an empty entry"},
		{"empty entry", limits, "evt_,tenant_,seq_", "evt_,,seq_", relay.KeyPrefixes, "empty entry"},
		{"entry twice", limits, "evt_,tenant_,seq_", "evt_,evt_", relay.KeyPrefixes, `"evt_" twice`},
		{"unknown key", limits, "NOTIFYD_QUEUE_MAX_BYTES", "NOTIFYD_QUEUE_MAX", "NOTIFYD_QUEUE_MAX",
			"none of"},
		{"key twice", limits, "NOTIFYD_QUEUE_MAX_BYTES", "NOTIFYD_TENANT_UNACKED_LIMIT",
			relay.KeyUnackedLimit, "a second time"},
		{"no pair", limits, "NOTIFYD_QUEUE_MAX_BYTES=", "NOTIFYD_QUEUE_MAX_BYTES ", "", "no KEY=VALUE"},
		{"not text", limits, "VERSION=2.0", "VERSION=\xff", "", "not UTF-8"},
		{"no sink", relay.TopologyFile, "NOTIFYD_SINK_URL_IN=SINK_URL", "", relay.KeySinkURLIn,
			"missing"},
		{"no tenants", relay.TenantsFile, "t1,t2,t3,t4", "", relay.KeyTenants, "missing"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := contractFiles(t)
			if !strings.Contains(files[row.file], row.old) {
				t.Fatalf("%s does not hold %q", row.file, row.old)
			}
			files[row.file] = strings.Replace(files[row.file], row.old, row.new, 1)
			expectUnusable(t, writeContract(t, files), row.file, row.key, row.reason)
		})
	}
}

func TestAContractFileThatIsNotThere(t *testing.T) {
	for _, name := range []string{relay.LimitsFile, relay.TopologyFile, relay.TenantsFile} {
		files := contractFiles(t)
		delete(files, name)
		expectUnusable(t, writeContract(t, files), name, "", "missing")
		folder := writeContract(t, files)
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		expectUnusable(t, folder, name, "", "can't be read")
	}
}

func expectUnusable(t *testing.T, folder, file, key, reason string) {
	t.Helper()
	contract, err := relay.LoadContract(folder)
	var unusable *relay.ContractError
	if !errors.As(err, &unusable) || contract != nil {
		t.Fatalf("contract %+v, error %v", contract, err)
	}
	if filepath.Base(unusable.File) != file || unusable.Key != key ||
		!strings.Contains(unusable.Reason, reason) {
		t.Errorf("error %v; want file %s, key %s, reason %q", err, file, key, reason)
	}
}
