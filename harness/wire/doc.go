// Package wire is the PostgreSQL proxy between a worker and its database. Every connection of a
// worker comes through a listener of its own, so that each exchange (a turn) is an event that the
// gate can hold before the server saw it, or after the server is done and the worker was told
// nothing.
//
//	framer.go, intake.go, spill.go   bytes -> frames, by header only; what is withheld is bounded
//	startup.go, tls.go, cancel.go    how a connection begins
//	turns.go, group.go, answer.go    frames -> turns: pure, no socket, fuzzed
//	sql.go, label.go, names.go       a statement's label, and the named events that it is
//	pump.go, act_*.go                ask the gate, and do what it answers: the only door to sockets
//	close.go                         a worker's end: returns when its backends are gone
//
// It knows no scenarios. The message formats are those of the PostgreSQL documentation, chapter
// "Frontend/Backend Protocol", version 3.
package wire
