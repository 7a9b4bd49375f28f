package wire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Backends keeps the backends of one database warm: a connection that its worker is done with goes
// to the next worker whose start-up packet says exactly the same. Starting a backend is about
// half of what a small worker's start costs.
//
// Only a login that the server asks no proof for is kept, and a backend comes back only when it is
// at rest: after a ROLLBACK where a transaction was open, and DISCARD ALL. One that was at work
// when its worker went, or that was severed, is left to its end as without Backends.
// What DISCARD ALL does not reset stays: a random seed that was set, libraries that were loaded.
type Backends struct {
	dial   func(context.Context) (net.Conn, error)
	mutex  sync.Mutex
	closed bool
	idle   []*backend        // the one that was kept first comes first
	keys   map[string]string // by the cancel key that a worker was told: the server's own
}

// NewBackends keeps backends that dial connects to. Close ends those that nobody uses.
func NewBackends(dial func(context.Context) (net.Conn, error)) *Backends {
	return &Backends{dial: dial, keys: map[string]string{}}
}

// Close ends the backends that wait for a worker, and keeps none from now on.
func (b *Backends) Close() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.closed = true
	var failures []error
	for _, waiting := range b.idle {
		failures = append(failures, waiting.Close())
	}
	b.idle = nil
	return errors.Join(failures...)
}

// backend is a connection to one backend. What was read of it before the pump began is read again.
type backend struct {
	prefixed
	startup string // see startupKey
	// greeting is all that the server said to a login without proof, its ReadyForQuery included;
	// nil while the login goes on. key is where in it the body of BackendKeyData is.
	greeting []byte
	key      place
	told     string // the cancel key that the worker was told
}

// take gives a backend for a start-up packet: a warm one, or a new one.
func (b *Backends) take(ctx context.Context, packet []byte) (*backend, error) {
	key := startupKey(packet)
	for {
		waiting := b.next(key)
		if waiting == nil {
			break
		}
		if waiting.ask(syncMessage, 1) == nil {
			return waiting, nil
		}
		_ = waiting.Close() // ended by somebody: pg_terminate_backend, or its server is gone
	}
	socket, err := b.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	made := &backend{prefixed: prefixed{Conn: socket}, startup: key}
	if err := made.login(ctx, packet); err != nil {
		return nil, errors.Join(err, socket.Close())
	}
	return made, nil
}

// next is a backend that waits for a worker with this start-up packet; nil when there is none.
func (b *Backends) next(startup string) *backend {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for i := len(b.idle) - 1; i >= 0; i-- {
		if waiting := b.idle[i]; waiting.startup == startup {
			b.idle = slices.Delete(b.idle, i, i+1)
			return waiting
		}
	}
	return nil
}

// login sends the start-up packet and reads the answer, as far as it needs nothing of the worker.
func (b *backend) login(ctx context.Context, packet []byte) error {
	defer context.AfterFunc(ctx, func() { _ = b.SetDeadline(past) })()
	if _, err := b.Conn.Write(packet); err != nil {
		return fmt.Errorf("forward the start-up packet: %w", err)
	}
	said := make([]byte, 0, 1<<10)
	for {
		said = append(said, make([]byte, 512)...)
		count, err := b.Conn.Read(said[len(said)-512:])
		said = said[:len(said)-512+count]
		size, key, more := readGreeting(said)
		if more && err == nil {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.greeting, b.key, b.prefix = said[:size:size], key, said[size:]
		return nil
	}
}

// startupKey is the same for start-up packets that differ in nothing but the order of their
// parameters, which some drivers don't choose (Go's maps). Of packets that name one twice, or are
// odd in another way, it is the packet.
func startupKey(packet []byte) string {
	fields := strings.Split(string(packet[8:]), "\x00")
	count := len(fields) - 2 // the last pair is followed by two zero bytes
	if count < 0 || count%2 != 0 || fields[count] != "" || fields[count+1] != "" {
		return string(packet)
	}
	pairs := make([]string, 0, count/2)
	names := map[string]bool{}
	for at := 0; at < count; at += 2 {
		pairs = append(pairs, fields[at]+"\x00"+fields[at+1])
		names[fields[at]] = true
	}
	if len(names) != len(pairs) {
		return string(packet)
	}
	slices.Sort(pairs)
	return string(packet[:8]) + strings.Join(pairs, "\x00")
}

// past is a deadline that ends what waits at once.
var past = time.Unix(1, 0)

// place is a part of some bytes.
type place struct{ from, to int }

// readGreeting measures the server's answer to a login that needs no proof, up to its first
// ReadyForQuery, and finds the cancel key in it. It is 0 bytes long while more has to come, or when
// it is something else.
func readGreeting(said []byte) (size int, key place, more bool) {
	for at := 0; ; {
		next, ok, err := cut(said[at:], func(byte) bool { return true })
		if err != nil || next.size > captureBound {
			return 0, place{}, false
		}
		if !ok {
			return 0, place{}, true
		}
		body := place{at + headerSize, at + headerSize + next.size}
		at = body.to
		switch next.kind {
		case 'R':
			if string(next.body) != "\x00\x00\x00\x00" { // AuthenticationOk
				return 0, place{}, false
			}
		case 'K':
			key = body
		case 'S', 'N':
		case 'Z':
			if string(next.body) != "I" || key.to-key.from < 8 {
				return 0, place{}, false
			}
			return at, key, false
		default:
			return 0, place{}, false
		}
	}
}

// warm tells whether the login is done, so that the backend can be kept.
func (b *backend) warm() bool { return len(b.greeting) > 0 }

// lend is the greeting for the next worker. Each is told a cancel key of its own, so that a late
// CancelRequest of one that is done with this backend can't strike the next.
func (b *Backends) lend(of *backend) (greeting, pid []byte, err error) {
	greeting = append([]byte(nil), of.greeting...)
	key := greeting[of.key.from:of.key.to]
	pid = key[:4]
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if _, err := rand.Read(key[4:]); err != nil {
		return nil, nil, fmt.Errorf("make a cancel key: %w", err)
	}
	of.told = string(key)
	b.keys[of.told] = string(of.greeting[of.key.from:of.key.to])
	return greeting, pid, nil
}

// returned is called when a worker is done with a backend: it forgets its cancel key.
func (b *Backends) returned(of *backend) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	delete(b.keys, of.told)
}

// idleBound is how many backends of one database wait for a worker: workers that each begin in a
// way of their own (a pid in application_name) would fill the server with what none asks for.
const idleBound = 8

// keep puts a backend aside that has been cleaned. It tells whether it did.
func (b *Backends) keep(of *backend) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	delete(b.keys, of.told)
	if b.closed {
		return false
	}
	b.idle = append(b.idle, of)
	if len(b.idle) > idleBound {
		_ = b.idle[0].Close()
		b.idle = slices.Delete(b.idle, 0, 1)
	}
	return true
}

// cancelKey is the server's own cancel key for the one that a worker was told.
func (b *Backends) cancelKey(told []byte) []byte {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if own, lent := b.keys[string(told)]; lent {
		return []byte(own)
	}
	return told
}

// syncMessage asks for nothing but a ReadyForQuery.
var syncMessage = appendFrame(nil, 'S')

// clean takes a backend at rest back to how it was after its login. Its error means that the
// backend can't be used any more. ROLLBACK and DISCARD ALL are two queries: in one they would be
// one transaction, which DISCARD ALL refuses.
func (b *backend) clean(status byte) error {
	if err := b.SetDeadline(time.Time{}); err != nil {
		return err
	}
	var said []byte
	answers := 1
	if status != 'I' {
		said = appendFrame(said, 'Q', []byte("ROLLBACK\x00"))
		answers++
	}
	return b.ask(appendFrame(said, 'Q', []byte("DISCARD ALL\x00")), answers)
}

// ask sends messages and waits until the server is ready again as often as they need it, without an
// error and outside of a transaction.
func (b *backend) ask(messages []byte, wanted int) error {
	if _, err := b.Conn.Write(messages); err != nil {
		return err
	}
	answers := newIntake(b, func(kind byte) bool { return kind == 'Z' })
	for wanted > 0 {
		answer, ok, err := answers.next()
		if err == nil && !ok {
			answers.pass()
			if err = answers.flush(io.Discard); err == nil {
				err = answers.fill()
			}
		}
		switch {
		case err != nil:
			return err
		case answer.kind == 'E' || answer.kind == 'Z' && string(answer.body) != "I":
			return errors.New("the backend could not be cleaned")
		case answer.kind == 'Z':
			wanted--
		}
	}
	answers.pass()
	if err := answers.flush(io.Discard); err != nil || !answers.empty() {
		return errors.New("the backend says more than it was asked")
	}
	return nil
}
