package fakes

import "lostreply/harness/check"

// RecordKind says what a call was to the channel.
type RecordKind string

// The kinds of records. A stray is a call that is neither the contract's request nor its query.
const (
	RequestRecord RecordKind = "request"
	QueryRecord   RecordKind = "query"
	StrayRecord   RecordKind = "stray"
)

// What the channel did with a call. It is written before it is done, and says nothing about whether
// anyone heard: the channel can't know.
const (
	OutcomePending     = "pending"          // on its way: arrived, held, or waiting out a delay
	OutcomeAnswered    = "answered"         // a whole answer was sent
	OutcomeTruncated   = "truncated"        // part of an answer, then the connection closed
	OutcomeStalled     = "stalled"          // part of an answer, then silence
	OutcomeHung        = "hung"             // no answer, until the caller went away
	OutcomeReset       = "reset"            // the connection was reset, by the script
	OutcomeSevered     = "severed"          // the connection was closed, by an act
	OutcomeBlackHoled  = "black-holed"      // silence, by an act
	OutcomeAbandoned   = "abandoned"        // the worker's life was over
	OutcomeCallerLeft  = "caller left"      // the caller went away during a scripted delay
	OutcomeIncomplete  = "incomplete"       // the connection ended in the middle of the call
	OutcomeUnsupported = "unsupported act " // followed by the act, which no channel can carry out
)

// Record is one call as the channel saw it.
type Record struct {
	// Number is the place in the order of arrival, Nth that among the records of its kind, both
	// from 1.
	Number int
	Kind   RecordKind
	Nth    int

	Worker      string
	Incarnation int

	Method string
	Path   string
	// Key and Ref are empty where the contract has none or the call lacks it.
	Key string
	Ref string
	// Body is what was sent, up to MaxBodyBytes.
	Body string

	// Accepted says that the request was recorded as accepted, Replayed that its key was known, so
	// that nothing new was sent. Message is the message's id, the first one when replayed.
	Accepted bool
	Replayed bool
	Message  string

	// Status is the HTTP status of the answer, 0 when there was none.
	Status int
	// Answer is the body that the channel answered with, written before the answer is sent and
	// whatever becomes of it on its way; empty when the script has none.
	Answer string
	// Outcome is what the channel did with the call, one of the Outcome words.
	Outcome string
	// Violation says how the call broke the contract, empty when it did not.
	Violation string
	// Unscripted says that no entry of the script is for this call.
	Unscripted bool
	// Entry is the entry of the script that the call met, from 1; 0 when none.
	Entry int
}

// Totals counts a journal.
type Totals struct {
	// Requests counts every request that arrived, refused and broken ones too.
	Requests int
	// Acceptances counts accepted requests, Sends those of them that were new: what went out to
	// the world. They differ by the replays.
	Acceptances int
	Sends       int
	Queries     int
	// Strays counts the calls that were neither.
	Strays     int
	Violations int
	Unscripted int
}

// TotalsOf counts records.
func TotalsOf(records []Record) Totals {
	var totals Totals
	for _, record := range records {
		switch record.Kind {
		case RequestRecord:
			totals.Requests++
		case QueryRecord:
			totals.Queries++
		case StrayRecord:
			totals.Strays++
		}
		if record.Accepted {
			totals.Acceptances++
			if !record.Replayed {
				totals.Sends++
			}
		}
		if record.Violation != "" {
			totals.Violations++
		}
		if record.Unscripted {
			totals.Unscripted++
		}
	}
	return totals
}

// list names the counts for checks, in a fixed order.
func (t Totals) list() []check.Total {
	return []check.Total{
		{Name: "requests", Number: int64(t.Requests)},
		{Name: "acceptances", Number: int64(t.Acceptances)},
		{Name: "sends", Number: int64(t.Sends)},
		{Name: "queries", Number: int64(t.Queries)},
		{Name: "strays", Number: int64(t.Strays)},
		{Name: "violations", Number: int64(t.Violations)},
		{Name: "unscripted", Number: int64(t.Unscripted)},
	}
}

// JournalColumns are the columns of a journal's table, in order.
func JournalColumns() []string {
	return []string{
		"number", "kind", "nth", "worker", "incarnation", "method", "path", "key", "ref",
		"accepted", "replayed", "message", "status", "outcome", "violation", "unscripted", "body",
		"answer",
	}
}

// TableOf writes records as rows for checks, in the order of arrival, with their totals: null where
// a call has no such value.
func TableOf(records []Record) check.Table {
	table := check.Table{Columns: JournalColumns(), Totals: TotalsOf(records).list()}
	for _, r := range records {
		var status any
		if r.Status != 0 {
			status = r.Status
		}
		table.Rows = append(table.Rows, []any{
			r.Number, string(r.Kind), r.Nth, r.Worker, r.Incarnation, r.Method, r.Path,
			textOrNil(r.Key), textOrNil(r.Ref), r.Accepted, r.Replayed, textOrNil(r.Message),
			status, r.Outcome, textOrNil(r.Violation), r.Unscripted, r.Body,
			textOrNil(r.Answer),
		})
	}
	return table
}

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
