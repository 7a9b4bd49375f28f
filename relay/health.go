package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// Health is the judgement of a report. Nothing in it is constant.
type Health struct {
	Degraded       bool     `json:"degraded"`
	Issues         []string `json:"issues"`
	SelfConsistent bool     `json:"self_consistent"`
	Figures
}

// ErrNoReport is a report that is missing or unreadable: nothing can be judged, which is not the
// same as nothing being wrong.
var ErrNoReport = errors.New("can't judge")

// LoadReport reads a report that Save wrote. Whatever is wrong with the file is ErrNoReport.
func LoadReport(file string) (*Report, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: no report: %w", ErrNoReport, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var report *Report
	if err := decoder.Decode(&report); err != nil || report == nil || report.Tenants == nil {
		return nil, fmt.Errorf("%w: report %s is none: %v", ErrNoReport, file, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: report %s goes on after its end", ErrNoReport, file)
	}
	return report, nil
}

// Judge holds a report against the contract.
func Judge(report *Report, contract *Contract) Health {
	health := Health{Issues: []string{}, Figures: report.Figures}
	note := func(format string, arguments ...any) {
		health.Issues = append(health.Issues, fmt.Sprintf(format, arguments...))
	}
	for _, bad := range []struct {
		name   string
		amount int64
	}{
		{"queue_dropped_entries", report.QueueDroppedEntries},
		{"queue_dropped_bytes", report.QueueDroppedBytes},
		{"queue_capacity_mismatch", report.QueueCapacityMismatch},
		{"version_mismatch_acked", report.VersionMismatchAcked},
		{"field_missing_acked", report.FieldMissingAcked},
		{"overlimit_pushes", report.OverlimitPushes},
		{"parked", report.Parked},
	} {
		if bad.amount != 0 {
			note("%s=%d", bad.name, bad.amount)
		}
	}
	for _, tenant := range slices.Sorted(maps.Keys(report.Tenants)) {
		if unacked := report.Tenants[tenant].Unacked; unacked > contract.UnackedLimit {
			note("tenant %s: unacked=%d above the limit of %d", tenant, unacked, contract.UnackedLimit)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(report.Refused)) {
		if report.Refused[reason] != 0 && isError(reason) {
			note("refused %s=%d", reason, report.Refused[reason])
		}
	}
	if report.Acked != report.PushesDelivered {
		note("acked=%d pushes_delivered=%d", report.Acked, report.PushesDelivered)
	}
	if report.SinkReceived != report.Acked {
		note("sink_received=%d acked=%d", report.SinkReceived, report.Acked)
	}
	health.SelfConsistent = selfConsistent(report)
	health.Degraded = len(health.Issues) > 0 || !health.SelfConsistent
	return health
}

// isError tells the refusals that have no figure of their own among the problems, and are not
// compliant as a tenant's over its limit is.
func isError(reason Reason) bool {
	switch reason {
	case TenantOverlimit, CoreVersionMismatch, RequiredFieldMissing, QueueFull:
		return false
	}
	return true
}

// selfConsistent compares the relay's figures with each other. It can only show that they are
// wrong, never that they are right: that takes the probe.
func selfConsistent(r *Report) bool {
	return r.Acked == r.PushesDelivered && r.QueueDroppedEntries == 0 && r.OverlimitPushes == 0 &&
		r.QueueCapacityMismatch == 0 && r.QueueOfferedBytes == r.QueueWrittenBytes+r.QueueDroppedBytes
}
