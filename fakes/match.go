package fakes

import "lostreply/harness/scenario"

// selection names the calls that an entry of a script can count: those of a kind, and of a key or a
// ref where they are not empty.
type selection struct {
	kind RecordKind
	key  string
	ref  string
}

// selections are all the selections that a call belongs to.
func (c call) selections() []selection {
	all := []selection{{kind: c.kind}}
	if c.key != "" {
		all = append(all, selection{kind: c.kind, key: c.key})
	}
	if c.ref != "" {
		all = append(all, selection{kind: c.kind, ref: c.ref})
	}
	if c.key != "" && c.ref != "" {
		all = append(all, selection{kind: c.kind, key: c.key, ref: c.ref})
	}
	return all
}

// count counts the call in each of its selections and returns its number among its kind. The caller
// holds the mutex.
func (c *Channel) count(call call) int {
	for _, selection := range call.selections() {
		c.counts[selection]++
	}
	return c.counts[selection{kind: call.kind}]
}

// match finds the entry that a counted call meets, or -1: the first that fits, and only if none
// does, the first `otherwise` that fits, wherever it stands. The caller holds the mutex.
func (c *Channel) match(call call) int {
	for i := range c.script {
		if c.script[i].Otherwise == "" && c.fits(&c.script[i], call) {
			return i
		}
	}
	for i := range c.script {
		if otherwise := c.script[i].Otherwise; otherwise == "any" || otherwise == string(call.kind) {
			return i
		}
	}
	return -1
}

func (c *Channel) fits(entry *scenario.Entry, call call) bool {
	if !entry.Calls()[string(call.kind)] {
		return false
	}
	if entry.Key != "" && entry.Key != call.key || entry.Ref != "" && entry.Ref != call.ref {
		return false
	}
	number := entry.Request + entry.Query // one of them at most is given
	return number == 0 ||
		c.counts[selection{kind: call.kind, key: entry.Key, ref: entry.Ref}] == number
}
