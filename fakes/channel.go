package fakes

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"lostreply/harness/gate"
	"lostreply/harness/scenario"
)

// ErrClosed is why a channel takes no further worker.
var ErrClosed = errors.New("the channel is closed")

// Channel is one outside party of one run. Its methods may be called from any goroutine.
type Channel struct {
	name     string
	contract scenario.Channel
	script   []scenario.Entry
	gate     *gate.Gate

	mutex    sync.Mutex
	journal  []Record
	counts   map[selection]int
	used     []bool
	messages int
	byKey    map[string]string
	byRef    map[string][]string
	lives    map[lifeKey]*life
	changed  chan struct{}
	closed   bool
}

// New makes a channel that plays the contract by the script and asks gate about each call. It
// expects a contract and a script in which the loader found nothing wrong.
func New(
	name string, contract scenario.Channel, script []scenario.Entry, gate *gate.Gate,
) *Channel {
	return &Channel{
		name: name, contract: withDefaults(contract), script: script, gate: gate,
		counts: map[selection]int{}, used: make([]bool, len(script)),
		byKey: map[string]string{}, byRef: map[string][]string{},
		lives: map[lifeKey]*life{}, changed: make(chan struct{}),
	}
}

// The contract's own answers where system.yaml names none.
const (
	defaultRequestBody = `{"id":"${id}","replayed":${replayed}}`
	defaultQueryBody   = `{"ref":"${ref}","count":${count},"ids":${ids}}`
	defaultStatus      = 200
	defaultQueryRef    = "ref"
)

// withDefaults fills in what a contract leaves open. It copies what it changes.
func withDefaults(contract scenario.Channel) scenario.Channel {
	contract.Request.Answer = withAnswer(contract.Request.Answer, defaultRequestBody)
	if contract.Query != nil {
		query := *contract.Query
		query.Answer = withAnswer(query.Answer, defaultQueryBody)
		if query.Ref == nil {
			query.Ref = &scenario.Ref{Query: defaultQueryRef}
		}
		contract.Query = &query
	}
	return contract
}

func withAnswer(answer *scenario.Answer, body string) *scenario.Answer {
	filled := scenario.Answer{}
	if answer != nil {
		filled = *answer
	}
	if filled.Status == 0 {
		filled.Status = defaultStatus
	}
	if filled.Body == "" {
		filled.Body = body
	}
	return &filled
}

// Changed is closed when the journal next changes. Take it before looking at the journal, or a
// change between the two is missed.
func (c *Channel) Changed() <-chan struct{} {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.changed
}

// notify wakes who waits for a change; the caller holds the mutex.
func (c *Channel) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// Close ends every listener and every call, the hanging and the held ones too, and returns when
// their handlers are done. The journal stays readable.
func (c *Channel) Close() {
	c.mutex.Lock()
	c.closed = true
	lives := make([]*life, 0, len(c.lives))
	for _, life := range c.lives {
		lives = append(lives, life)
	}
	c.mutex.Unlock()
	for _, life := range lives {
		life.close()
	}
}

// Settle waits until nothing of one life of a worker is on its way any more: every connection that
// it made has been read to its end and every call on them is finished. It is for the time between
// the end of that life and the reading of the journal, or a request written just before the end
// could still be missing. A call that is held stays unfinished, so holds come first. The error says
// what was still open when ctx ended.
func (c *Channel) Settle(ctx context.Context, worker string, incarnation int) error {
	c.mutex.Lock()
	life := c.lives[lifeKey{worker, incarnation}]
	c.mutex.Unlock()
	if life == nil {
		return nil
	}
	if err := life.settle(ctx); err != nil {
		return fmt.Errorf("channel %s: settle the calls of %s.%d: %w", c.name, worker, incarnation, err)
	}
	return nil
}
