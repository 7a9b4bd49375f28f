// Package jetstream is the outbox's transport over a NATS JetStream broker.
//
// What a queue in a database does by transactions, the broker does by acknowledgements of its
// own. A message is sent when the broker has answered with a PubAck. It is done when the broker
// has confirmed its acknowledgement; until then it comes again, after the consumer's AckWait,
// under a new delivery id and the same message id. The broker drops a message whose id it has
// seen within its duplicate window; it compares ids and never payloads, so within the window a
// conflict is swallowed where it is sent.
//
// The broker's clock is real. It keeps what it has answered for in files, which survive its own
// death; the death of the machine they survive only as far as its sync interval says.
package jetstream
