package fakes

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/scenario"
)

// Journal is a copy of every call so far, in the order of arrival.
func (c *Channel) Journal() []Record {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]Record(nil), c.journal...)
}

// Totals counts the whole journal.
func (c *Channel) Totals() Totals { return TotalsOf(c.Journal()) }

// TotalsFor counts the calls about one ref.
func (c *Channel) TotalsFor(ref string) Totals {
	var about []Record
	for _, record := range c.Journal() {
		if record.Ref == ref {
			about = append(about, record)
		}
	}
	return TotalsOf(about)
}

// Table is the journal as columns, rows and totals for checks.
func (c *Channel) Table() check.Table { return TableOf(c.Journal()) }

// Unused are the entries of the script that no call has met, in the order of the script. An
// `otherwise` is not among them: it promises no call.
func (c *Channel) Unused() []scenario.Entry {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var unused []scenario.Entry
	for i, entry := range c.script {
		if !c.used[i] && entry.Otherwise == "" {
			unused = append(unused, entry)
		}
	}
	return unused
}

// arrive writes a call into the journal and finds the entry of the script that it meets. One lock
// covers both, so that the nth request of the journal is the nth of the script.
func (c *Channel) arrive(l *life, call call) (int, *scenario.Entry) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.journal = append(c.journal, Record{
		Number: len(c.journal) + 1, Kind: call.kind, Nth: c.count(call),
		Worker: l.worker, Incarnation: l.incarnation, Method: call.method, Path: call.path,
		Key: call.key, Ref: call.ref, Body: call.body, Outcome: OutcomePending,
		Violation: call.violation,
	})
	record := &c.journal[len(c.journal)-1]
	if call.incomplete {
		record.Outcome = OutcomeIncomplete
	}
	c.notify()
	if call.incomplete || call.violation != "" {
		return record.Number, nil
	}
	found := c.match(call)
	if found < 0 {
		record.Unscripted = true
		return record.Number, nil
	}
	c.used[found] = true
	record.Entry = found + 1
	return record.Number, &c.script[found]
}

// refuse writes down what net/http could not read as a call and is about to refuse with the given
// line. Where the connection ended in the middle of a head, nobody will read the refusal.
func (c *Channel) refuse(l *life, line string, incomplete bool) {
	if incomplete {
		c.arrive(l, call{kind: StrayRecord, incomplete: true})
		return
	}
	stray := call{kind: StrayRecord, violation: "what was sent is no HTTP/1.1 call; answered: " + line}
	number, _ := c.arrive(l, stray)
	status := 0
	if words := strings.Fields(line); len(words) > 1 {
		status, _ = strconv.Atoi(words[1])
	}
	c.note(number, func(record *Record) {
		record.Outcome, record.Status = OutcomeAnswered, status
	})
}

// nth is the number of a record among those of its kind.
func (c *Channel) nth(number int) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.journal[number-1].Nth
}

// note changes a record of the journal.
func (c *Channel) note(number int, change func(*Record)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	change(&c.journal[number-1])
	c.notify()
}

// accept records the acceptance of a request: a known key gets its first message again, anything
// else is a new message.
func (c *Channel) accept(number int) (message string, replayed bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	record := &c.journal[number-1]
	replays := c.contract.Key != nil && c.contract.Key.Replays
	if replays {
		message, replayed = c.byKey[record.Key]
	}
	if !replayed {
		c.messages++
		message = fmt.Sprintf("%s-msg-%04d", c.name, c.messages)
		if replays {
			c.byKey[record.Key] = message
		}
		if record.Ref != "" {
			c.byRef[record.Ref] = append(c.byRef[record.Ref], message)
		}
	}
	record.Accepted, record.Replayed, record.Message = true, replayed, message
	c.notify()
	return message, replayed
}

// sentAbout are the ids of the messages that went out about a ref, as a JSON list, and their
// number.
func (c *Channel) sentAbout(ref string) (ids string, count int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	list := append([]string{}, c.byRef[ref]...)
	encoded, err := json.Marshal(list)
	if err != nil {
		panic(err) // a list of strings always encodes
	}
	return string(encoded), len(list)
}
