package relay

import (
	"fmt"
	"path/filepath"
	"slices"
)

// The contract's files, in its folder.
const (
	LimitsFile   = "notifyd.env"
	TopologyFile = "topology.env"
	TenantsFile  = "tenants.env"
)

// The contract's keys.
const (
	KeyUnackedLimit = "NOTIFYD_TENANT_UNACKED_LIMIT"
	KeyMaxBytes     = "NOTIFYD_QUEUE_MAX_BYTES"
	KeySizeBytes    = "NOTIFYD_QUEUE_SIZE_BYTES"
	KeyPrefixes     = "NOTIFYD_REQUIRED_FIELD_PREFIXES"
	KeyCoreVersion  = "NOTIFYD_REQUIRED_CORE_VERSION"
	KeyProducer     = "NOTIFYD_PRODUCER"
	KeyQueueURLIn   = "NOTIFYD_QUEUE_URL_IN"
	KeySinkURLIn    = "NOTIFYD_SINK_URL_IN"
	KeyTenants      = "NOTIFYD_TENANTS"
)

// Contract is what the three files say. There is no default for anything in it.
type Contract struct {
	// UnackedLimit is the most unacked items of one tenant.
	UnackedLimit int64
	// QueueMaxBytes is the queue's capacity as operations asked for it, QueueSizeBytes the capacity
	// in effect: the one that counts.
	QueueMaxBytes  int64
	QueueSizeBytes int64
	// FieldPrefixes: an event has a field that begins with each of them.
	FieldPrefixes []string
	// CoreVersion is the version of the producer whose events may pass.
	CoreVersion string
	Producer    string
	// QueueURLIn and SinkURLIn name the environment variables that hold the two addresses.
	QueueURLIn string
	SinkURLIn  string
	Tenants    []string
}

// ContractError is a contract that can't be used: which file, which key (empty when it is the whole
// file) and why.
type ContractError struct {
	File   string
	Key    string
	Reason string
}

// Error is one line that names the file and the key.
func (e *ContractError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("contract %s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("contract %s: %s: %s", e.File, e.Key, e.Reason)
}

// LoadContract reads the contract in a folder. Whatever is wrong with it is a ContractError:
// nothing takes the place of what is missing.
func LoadContract(folder string) (*Contract, error) {
	limits, err := readSettings(filepath.Join(folder, LimitsFile),
		KeyUnackedLimit, KeyMaxBytes, KeySizeBytes, KeyPrefixes, KeyCoreVersion)
	if err != nil {
		return nil, err
	}
	topology, err := readSettings(filepath.Join(folder, TopologyFile),
		KeyProducer, KeyQueueURLIn, KeySinkURLIn)
	if err != nil {
		return nil, err
	}
	tenants, err := readSettings(filepath.Join(folder, TenantsFile), KeyTenants)
	if err != nil {
		return nil, err
	}
	contract := &Contract{
		CoreVersion: limits.values[KeyCoreVersion], Producer: topology.values[KeyProducer],
		QueueURLIn: topology.values[KeyQueueURLIn], SinkURLIn: topology.values[KeySinkURLIn],
	}
	if err := contract.fill(limits, tenants); err != nil {
		return nil, err
	}
	return contract, nil
}

func (c *Contract) fill(limits, tenants *settings) (err error) {
	for _, number := range []struct {
		key   string
		value *int64
	}{
		{KeyUnackedLimit, &c.UnackedLimit},
		{KeyMaxBytes, &c.QueueMaxBytes},
		{KeySizeBytes, &c.QueueSizeBytes},
	} {
		if *number.value, err = limits.positive(number.key); err != nil {
			return err
		}
	}
	if c.QueueMaxBytes > c.QueueSizeBytes {
		return limits.wrong(KeyMaxBytes, fmt.Sprintf(
			"%d bytes asked for are more than the %d of %s: the contract contradicts itself",
			c.QueueMaxBytes, c.QueueSizeBytes, KeySizeBytes))
	}
	if c.FieldPrefixes, err = limits.list(KeyPrefixes); err != nil {
		return err
	}
	c.Tenants, err = tenants.list(KeyTenants)
	return err
}

// knows tells whether a tenant is one of the contract's.
func (c *Contract) knows(tenant string) bool { return slices.Contains(c.Tenants, tenant) }
