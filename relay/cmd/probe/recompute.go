package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// figure is one recomputed number.
type figure struct {
	name   string
	number int64
}

// seen is what records and log amount to.
type seen struct {
	figures  []figure
	unacked  map[string]int64 // by tenant
	findings []string
}

func (s *seen) bad(format string, arguments ...any) {
	s.findings = append(s.findings, fmt.Sprintf(format, arguments...))
}

func (s *seen) add(name string, number int64) {
	s.figures = append(s.figures, figure{name, number})
}

// must adds a figure that has to be 0.
func (s *seen) must(name string, number int64) {
	s.add(name, number)
	if number != 0 {
		s.bad("%s=%d", name, number)
	}
}

func (s *seen) print(output io.Writer) {
	for _, figure := range s.figures {
		fmt.Fprintf(output, "PROBE %s=%d\n", figure.name, figure.number)
	}
	for _, tenant := range slices.Sorted(maps.Keys(s.unacked)) {
		fmt.Fprintf(output, "PROBE unacked[%s]=%d\n", tenant, s.unacked[tenant])
	}
}

func (s *seen) number(name string) (int64, bool) {
	for _, figure := range s.figures {
		if figure.name == name {
			return figure.number, true
		}
	}
	return 0, false
}

// recompute counts, in an order that the output keeps.
func recompute(terms *terms, records []record, capacity int64, log []entry) *seen {
	s := &seen{unacked: map[string]int64{}}
	s.countRecords(terms, records, capacity)
	s.checkBodies(terms, records)
	s.replay(terms, records)
	s.compareSink(records, log)
	return s
}

func (s *seen) countRecords(terms *terms, records []record, capacity int64) {
	var written, used, acked, parked int64
	for _, r := range records {
		written += int64(len(r.body))
		if r.parked {
			parked++
		}
		if r.ackedAs != 0 {
			acked++
			continue
		}
		used += int64(len(r.body))
		s.unacked[r.tenant]++
	}
	s.add("records", int64(len(records)))
	s.add("queue_written_bytes", written)
	s.add("queue_used_bytes", used)
	s.add("queue_capacity_bytes", capacity)
	s.add("acked", acked)
	s.add("unacked", int64(len(records))-acked)
	s.add("parked", parked)
	if len(records) > 0 && capacity != terms.effective {
		s.bad("the queue has %d bytes, the contract says %d", capacity, terms.effective)
	}
	if used > capacity {
		s.bad("%d bytes are in a queue of %d", used, capacity)
	}
	for _, tenant := range slices.Sorted(maps.Keys(s.unacked)) {
		if s.unacked[tenant] > terms.unackedLimit {
			s.bad("tenant %s has %d unacked items, the limit is %d",
				tenant, s.unacked[tenant], terms.unackedLimit)
		}
	}
}

// checkBodies looks for records that the contract forbids.
func (s *seen) checkBodies(terms *terms, records []record) {
	var version, fields, identity int64
	for _, r := range records {
		var event map[string]json.RawMessage
		if json.Unmarshal(r.body, &event) != nil {
			identity++
			continue
		}
		if string(event["core_version"]) != strconv.Quote(terms.version) {
			version++
		}
		if !hasAll(event, terms.prefixes) {
			fields++
		}
		if string(event["tenant_id"]) != strconv.Quote(r.tenant) || !terms.tenants[r.tenant] ||
			string(event["seq_no"]) != strconv.FormatInt(r.seq, 10) ||
			r.id != r.tenant+"-"+strconv.FormatInt(r.seq, 10) {
			identity++
		}
	}
	s.must("version_mismatch_in_queue", version)
	s.must("field_missing_in_queue", fields)
	s.must("identity_mismatch_in_queue", identity)
}

func hasAll(event map[string]json.RawMessage, prefixes []string) bool {
	for _, prefix := range prefixes {
		found := false
		for name := range event {
			found = found || strings.HasPrefix(name, prefix)
		}
		if !found {
			return false
		}
	}
	return true
}

// replay goes through admissions and ACKs in their one order, and counts what was passed on while
// its tenant was at its limit. Records that say they came under another contract are counted
// apart: the files of that one are gone.
func (s *seen) replay(terms *terms, records []record) {
	type step struct {
		at     int64
		record record
		isACK  bool
	}
	var steps []step
	var otherContract int64
	for _, r := range records {
		steps = append(steps, step{r.admittedAs, r, false})
		if r.ackedAs != 0 {
			steps = append(steps, step{r.ackedAs, r, true})
		}
		if r.limit != terms.unackedLimit {
			otherContract++
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return int(a.at - b.at) })
	unacked := map[string]int64{}
	var peak, over int64
	for _, step := range steps {
		tenant := step.record.tenant
		if step.isACK {
			unacked[tenant]--
			continue
		}
		if unacked[tenant] >= terms.unackedLimit && step.record.limit == terms.unackedLimit {
			over++
		}
		unacked[tenant]++
		peak = max(peak, unacked[tenant])
	}
	s.add("unacked_peak", peak)
	s.must("overlimit_pushes", over)
	s.add("admitted_under_another_contract", otherContract)
}

// compareSink compares, as sets, what the queue says is acked with what the sink has said.
func (s *seen) compareSink(records []record, log []entry) {
	delivered, heard, said := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, call := range log {
		if call.Kind == "request" && call.Item != nil {
			delivered[*call.Item] = true
		}
		for _, id := range acksIn(call) {
			said[id] = true
			if call.Outcome == "answered" {
				heard[id] = true
			}
		}
	}
	var invented, undelivered, unheard int64
	known := map[string]bool{}
	for _, r := range records {
		known[r.id] = true
		switch {
		case r.ackedAs != 0 && !heard[r.id]:
			invented++
		case r.ackedAs == 0 && said[r.id]:
			unheard++
		}
		if r.ackedAs != 0 && !delivered[r.id] {
			undelivered++
		}
	}
	s.add("sink_acks", int64(len(said)))
	s.add("sink_acks_unheard", unheard)
	s.must("acked_without_ack", invented)
	s.must("acked_without_delivery", undelivered)
	s.must("sink_acks_of_unknown_items", notIn(said, known))
	s.must("deliveries_of_unknown_items", notIn(delivered, known))
}

// acksIn are the ids that an answer of the sink acknowledges. Only a whole answer of 2xx, or one
// that was cut off on its way, says anything.
func acksIn(call entry) []string {
	if call.Answer == nil || (call.Status != nil && (*call.Status < 200 || *call.Status > 299)) {
		return nil
	}
	var said struct {
		ACKs []string `json:"acks"`
	}
	if json.Unmarshal([]byte(*call.Answer), &said) != nil {
		return nil
	}
	return said.ACKs
}

func notIn(ids, known map[string]bool) int64 {
	var missing int64
	for id := range ids {
		if !known[id] {
			missing++
		}
	}
	return missing
}
