package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Reason is why an event was refused; an event with several faults is counted under the first.
type Reason string

// The reasons, in the order in which they are looked for. The four of the contract are
// TenantOverlimit, CoreVersionMismatch, RequiredFieldMissing and QueueFull.
const (
	EventTooLong         Reason = "event-too-long"
	NotJSON              Reason = "not-json"
	UnknownTenant        Reason = "unknown-tenant"
	TenantOverlimit      Reason = "tenant-overlimit"
	CoreVersionMismatch  Reason = "core-version-mismatch"
	RequiredFieldMissing Reason = "required-field-missing"
	FieldUnusable        Reason = "field-unusable"
	SequenceConflict     Reason = "sequence-conflict"
	QueueFull            Reason = "queue-full"
)

// The fields that the relay itself reads.
const (
	tenantField  = "tenant_id"
	seqField     = "seq_no"
	versionField = "core_version"
)

// event is one JSON object of the producer, as it came.
type event struct {
	body   []byte
	fields map[string]json.RawMessage
	tenant string
	seq    int64
	// seqError is why there is no seq; validate tells it in its turn.
	seqError error
}

// id names the item that an event becomes, the same at each delivery.
func (e *event) id() string { return e.tenant + "-" + strconv.FormatInt(e.seq, 10) }

// fault is a reason with what is wrong in this event.
type fault struct {
	reason Reason
	detail string
}

func faultOf(reason Reason, format string, arguments ...any) *fault {
	return &fault{reason, fmt.Sprintf(format, arguments...)}
}

// readEvent finds out whose event it is. The rest is for validate, behind the gate.
func readEvent(body []byte, contract *Contract) (*event, *fault) {
	e := &event{body: body}
	if err := json.Unmarshal(body, &e.fields); err != nil || e.fields == nil {
		return e, faultOf(NotJSON, "no JSON object: %v", err)
	}
	if !e.has(tenantField) {
		return e, faultOf(RequiredFieldMissing, "no field %s", tenantField)
	}
	var tenant string
	if json.Unmarshal(e.fields[tenantField], &tenant) != nil || !contract.knows(tenant) {
		return e, faultOf(UnknownTenant, "tenant %.40s is not in %s",
			e.fields[tenantField], TenantsFile)
	}
	e.tenant = tenant
	e.seqError = json.Unmarshal(e.fields[seqField], &e.seq)
	return e, nil
}

// has tells whether a field is there with a value.
func (e *event) has(name string) bool {
	value := bytes.TrimSpace(e.fields[name])
	return len(value) > 0 && string(value) != "null" && string(value) != `""`
}

// validate holds the event against the contract: first the version, then the fields.
func (e *event) validate(contract *Contract) *fault {
	var version string
	if json.Unmarshal(e.fields[versionField], &version) != nil || version != contract.CoreVersion {
		return faultOf(CoreVersionMismatch, "%s %.40s is not %s",
			versionField, e.fields[versionField], contract.CoreVersion)
	}
	for _, prefix := range contract.FieldPrefixes {
		if !e.hasPrefix(prefix) {
			return faultOf(RequiredFieldMissing, "no field %s…", prefix)
		}
	}
	if !e.has(seqField) {
		return faultOf(RequiredFieldMissing, "no field %s", seqField)
	}
	if e.seqError != nil || e.seq < 0 {
		return faultOf(FieldUnusable, "%s %.40s is no whole number from 0 on",
			seqField, e.fields[seqField])
	}
	return nil
}

func (e *event) hasPrefix(prefix string) bool {
	for name := range e.fields {
		if strings.HasPrefix(name, prefix) && e.has(name) {
			return true
		}
	}
	return false
}
