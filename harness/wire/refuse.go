package wire

import "sync/atomic"

// Refusal turns new connections away (FATAL 57P03, "cannot connect now") until a channel is closed.
// One refusal can be that of several listeners: those of a worker's lives.
type Refusal struct {
	until <-chan struct{}
	met   atomic.Int64
}

// NewRefusal makes a refusal that lasts until the channel is closed.
func NewRefusal(until <-chan struct{}) *Refusal { return &Refusal{until: until} }

// Met is how many connections were turned away.
func (r *Refusal) Met() int { return int(r.met.Load()) }

// Over tells whether the refusal has come to its end.
func (r *Refusal) Over() bool {
	select {
	case <-r.until:
		return true
	default:
		return false
	}
}

// Refuse turns new connections of the listener away while the refusal lasts. Those that there are
// go on.
func (l *Listener) Refuse(refusal *Refusal) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.refusals = append(l.refusals, refusal)
}

// admits counts a connection that asks for the database, and tells whether it may.
func (l *Listener) admits() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.came++
	admitted := true
	for _, refusal := range l.refusals {
		if !refusal.Over() {
			refusal.met.Add(1)
			admitted = false
		}
	}
	return admitted
}
