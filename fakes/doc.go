// Package fakes plays the outside parties of a system, its channels, over real HTTP on loopback and
// in the harness's own process. A channel is its contract (what it promises every caller) and a
// script (what becomes of which call in this run); users write no Go for theirs.
//
// One call goes this way, and each arrow is a place where a scenario can stop it:
//
//	read -> journal -> gate (request) -> acceptance -> gate (response) -> reply
//
// The journal is written before anything is answered and the acceptance before the reply is sent,
// so that whoever has an answer finds it in the journal. Journal, counts and known keys are the
// channel's, shared by all its listeners; a listener belongs to one life of one worker, so that
// each call is attributed exactly.
//
// A caller that leaves takes nothing back. Its request was here: when a hold at the request phase
// is released after the caller left, the request is accepted as scripted, and the reply meets
// nobody. Only Abandon (the worker was killed, or its listener closed) ends a held request
// unaccepted.
package fakes
