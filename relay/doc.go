// Package relay passes events on to a sink and counts what became of them:
//
//	producer -> relay -> bounded queue (in bytes) -> sink
//
// An event is admitted by Intake.Push: gate (the tenant's unacked items against the limit),
// capacity (the contract's against the queue's own), validation (version, fields), write. Each
// event ends as an item in the queue, as the repetition of one, or refused under one reason: the
// first that applies.
//
// An item is delivered by Courier.RunOnce: a claim with a time after which it is due again, one
// POST to the sink, and whatever ACKs the answer holds. Only an ACK means that the sink has caught
// an item. An answer may hold the ACK of its own item, of earlier ones, of none, in any order, more
// than once; one that is lost, late or repeated changes nothing but when an item is due. Each item
// leaves the unacked ones by one ACK, and in no other way.
//
// The figures of a Report are the relay's own word. Its probe, cmd/probe, shares no code with it
// and recomputes them from the contract, the queue's records and the sink's log.
package relay
