package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// compared are the claims that have a recomputed twin, by the name of the twin.
var compared = []struct{ claim, twin string }{
	{"acked", "acked"},
	{"pushes_delivered", "acked"},
	{"sink_received", "acked"},
	{"unacked", "unacked"},
	{"unacked_peak", "unacked_peak"},
	{"overlimit_pushes", "overlimit_pushes"},
	{"queue_written_bytes", "queue_written_bytes"},
	{"queue_used_bytes", "queue_used_bytes"},
	{"queue_capacity_bytes", "queue_capacity_bytes"},
	{"parked", "parked"},
}

// against lists the claims that are not what was recomputed.
func (s *seen) against(claims map[string]any) []string {
	var wrong []string
	for _, pair := range compared {
		twin, _ := s.number(pair.twin)
		if claim, isNumber := number(claims[pair.claim]); !isNumber || claim != twin {
			wrong = append(wrong, fmt.Sprintf("the relay claims %s=%v, and it is %d",
				pair.claim, claims[pair.claim], twin))
		}
	}
	// What must never happen, and no record can show.
	if mismatch, _ := number(claims["queue_capacity_mismatch"]); mismatch != 0 {
		wrong = append(wrong, fmt.Sprintf("the relay claims queue_capacity_mismatch=%d", mismatch))
	}
	wrong = append(wrong, compareBuffer(claims)...)
	wrong = append(wrong, s.compareTenants(claims["tenants"])...)
	return append(wrong, s.accountForPushes(claims)...)
}

func (s *seen) compareTenants(claimed any) []string {
	tenants, isObject := claimed.(map[string]any)
	if !isObject {
		return []string{"the relay claims nothing by tenant"}
	}
	all := map[string]int64{}
	for tenant := range tenants {
		all[tenant] = 0
	}
	maps.Copy(all, s.unacked)
	var wrong []string
	for _, tenant := range slices.Sorted(maps.Keys(all)) {
		figures, _ := tenants[tenant].(map[string]any)
		if claim, isNumber := number(figures["unacked"]); !isNumber || claim != all[tenant] {
			wrong = append(wrong, fmt.Sprintf("the relay claims unacked=%v of tenant %q, and it is %d",
				figures["unacked"], tenant, all[tenant]))
		}
	}
	return wrong
}

// accountForPushes wants each event that the relay says it was offered to be a record, the
// repetition of one, or refused.
func (s *seen) accountForPushes(claims map[string]any) []string {
	offered, _ := number(claims["pushed"])
	repeated, _ := number(claims["events_repeated"])
	records, _ := s.number("records")
	refusals, _ := claims["refused"].(map[string]any)
	var refused int64
	for _, amount := range refusals {
		count, _ := number(amount)
		refused += count
	}
	lost := offered - repeated - refused - records
	if lost < 0 {
		return []string{fmt.Sprintf("%d events were offered, and %d are in the queue and %d refused: "+
			"counted_twice=%d", offered, records, refused, -lost)}
	}
	if lost > 0 {
		dropped, _ := number(claims["queue_dropped_entries"])
		return []string{fmt.Sprintf("of %d events offered %d are in the queue and %d were refused: "+
			"dropped_unaccounted=%d, and the relay claims queue_dropped_entries=%d",
			offered, records, refused, lost, dropped)}
	}
	return nil
}

func number(value any) (int64, bool) {
	text, isNumber := value.(json.Number)
	if !isNumber {
		return 0, false
	}
	parsed, err := text.Int64()
	return parsed, err == nil
}
