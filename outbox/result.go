package outbox

// Result is what became of one message.
type Result string

// The results of a publisher and a consumer.
const (
	Nothing   Result = "NOTHING"   // no message was due
	Sent      Result = "SENT"      // kept by the transport, and marked
	Booked    Result = "BOOKED"    // booked, and acknowledged
	Duplicate Result = "DUPLICATE" // booked before with the same payload; acknowledged
	PutOff    Result = "PUT_OFF"   // failed; due again after its delay
	Conflict  Result = "CONFLICT"  // known with another payload; buried
	Buried    Result = "BURIED"    // unreadable, or failed too often; buried
)

// Reason is why a delivery was buried.
type Reason string

// The reasons of dead letters; the queue's schema allows no other.
const (
	ReasonConflict   Reason = "CONFLICT"   // another payload under a processed message id
	ReasonUnreadable Reason = "UNREADABLE" // no attempt could ever succeed
	ReasonFailures   Reason = "FAILURES"   // too many attempts failed
)
