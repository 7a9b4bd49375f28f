// Package dispatcher delivers notifications over channels that may not answer.
//
// Business code submits an event with Notifier.Create: one logical notification, and one
// delivery task for each channel that the user has enabled. Workers call Dispatcher.RunOnce: it
// claims one due task, calls its channel over HTTP and writes what it saw. The hard result is no
// result: the request left, the response never came. "Unknown" is therefore a durable state of a
// task with an exit of its own (a query, a repeat under the same key, or
// Dispatcher.ResolveManually), not an error to retry away.
//
// Two things are kept apart. Logical duplicates are prevented here, by a unique constraint on
// user and event. External duplicates only a channel can prevent; the dispatcher avoids causing
// them, by what the channel's Contract promises, and records those it hears of. SENT means that
// the channel accepted the request, no more.
//
// What it does not promise: a superseded worker's call cannot be recalled; a preference is read
// once, in the claim, so that switching a channel off between the claim's commit and the request
// comes too late for that attempt; a database restored to an earlier time reuses task ids and
// with them idempotency keys; a channel that forgets keys takes a repeat for new.
//
// All times are the database's. Durations are bound as milliseconds and added to its now(); the
// clock of the worker's machine only bounds the HTTP call.
package dispatcher
