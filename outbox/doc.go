// Package outbox carries a contract's amount from one service's database into another's ledger,
// through a transport that may deliver anything twice, without losing it and without booking it
// twice.
//
// There are three databases and no transaction across them. Sender.Accept writes a contract and
// its outbox message in one transaction. Publisher.PublishOnce locks an unsent message, writes it
// to the transport, commits there, and only then marks it sent: a crash between the two sends it
// again, never not at all. Consumer.ConsumeOnce takes an unacknowledged delivery, and
// Inbox.Receive inserts the message's id and books its amount in one transaction; only after that
// commit the delivery is acknowledged: a crash between the two delivers it again, and the inbox
// knows it.
//
// Two ids are kept apart. A delivery id counts transport: each physical delivery has its own. A
// message id counts business: it is chosen once, when the contract is accepted. A known message id
// is no licence to ignore what came with it: payloads are compared in their Canonical form, and
// another payload under a known id is ErrConflict.
//
// What is claimed is "effectively once in the receiver's database". What is not: "exactly once
// everywhere" (physical deliveries repeat, and an effect outside the receiver's database would
// too); order (a message that is put off is overtaken); anything about a message that comes again
// after its inbox row was purged (Inbox.Purge); counting of a consumer's own deaths (a delivery
// that kills its consumer every time is never buried, as the count of failures is rolled back
// with it). Locks, not leases, hold what is being worked on: a worker that dies lets go at once,
// one that is frozen does not let go at all.
//
// All times are the databases' own.
package outbox
