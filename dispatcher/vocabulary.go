package dispatcher

import "slices"

// State is what this service knows about one delivery.
type State string

// The six states of a task; the schema allows no other.
const (
	Pending    State = "PENDING"    // certainly not accepted so far; to be sent
	Sending    State = "SENDING"    // held by a worker under a lease and a token
	Unknown    State = "UNKNOWN"    // may have been accepted
	Sent       State = "SENT"       // accepted by the channel, no more
	Failed     State = "FAILED"     // certainly not accepted, and given up
	Suppressed State = "SUPPRESSED" // certainly not accepted: the user had switched the channel off
)

// Action is what a claim leads to.
type Action string

// The actions of an attempt.
const (
	Send  Action = "SEND"
	Query Action = "QUERY"
	None  Action = "NONE" // the claim ends without a call
)

// Outcome is one attempt's own observation, as its row keeps it.
type Outcome string

// The outcomes of a call.
const (
	Accepted       Outcome = "ACCEPTED"
	AcceptedReplay Outcome = "ACCEPTED_REPLAY" // the channel knew the key and sent nothing new
	QueryFound     Outcome = "QUERY_FOUND"
	QueryNotFound  Outcome = "QUERY_NOT_FOUND"
	QueryFailed    Outcome = "QUERY_FAILED" // a query without a usable answer, timeouts among them
	Timeout        Outcome = "TIMEOUT"
	IOError        Outcome = "IO_ERROR"
	HTTP5xx        Outcome = "HTTP_5XX"   // refused before acceptance, by the contract; try again
	Throttled      Outcome = "THROTTLED"  // the same, as 429
	Rejected       Outcome = "REJECTED"   // refused before acceptance, by the contract; for good
	Unpromised     Outcome = "UNPROMISED" // an answer about which the contract says nothing
)

// The outcomes of attempts that ended without a call of their own. With the suffix _UNCERTAIN an
// earlier attempt may have been accepted, and the task is parked.
const (
	LeaseExpired Outcome = "LEASE_EXPIRED" // its holder was not heard of again in time
	PrefDisabled Outcome = "PREF_DISABLED"
	TTLExpired   Outcome = "TTL_EXPIRED"
	BudgetSpent  Outcome = "BUDGET_SPENT"
	// NoSafeAction ends the claim of a task that may have been accepted by a channel which can
	// neither be asked nor asked again.
	NoSafeAction Outcome = "NO_SAFE_ACTION"
	LateAccepted Outcome = "LATE_ACCEPTED"
	ManualSent   Outcome = "MANUAL_SENT"
	ManualFailed Outcome = "MANUAL_FAILED"
)

const uncertainSuffix = "_UNCERTAIN"

// Result is what one RunOnce came to: the state that it left the task in, NOTHING or STALE.
type Result string

// Nothing and Stale are the results that are no state of a task.
const (
	Nothing Result = "NOTHING" // no task was due
	Stale   Result = "STALE"   // the attempt had been superseded; only its late outcome was written
)

// acceptance tells whether the outcome says that the channel accepted a request.
func (o Outcome) acceptance() bool {
	return slices.Contains([]Outcome{Accepted, AcceptedReplay, QueryFound}, o)
}
