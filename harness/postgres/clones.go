package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ClonesAhead is how many databases Clones keeps ready.
const ClonesAhead = 2

// Clones hands out fresh databases from one template without the wait: some are made ahead of need,
// and used ones are dropped in the background.
type Clones struct {
	cluster  Cluster
	template string
	ahead    int
	ready    chan clone
	context  context.Context // ends at Close
	stop     context.CancelFunc
	making   sync.WaitGroup
	dropping sync.WaitGroup
	turn     sync.Mutex // held while one is made: copies of one template wait for each other anyway

	mutex    sync.Mutex // guards what follows
	ordered  int        // how many have been made or will be
	taken    int
	failures []error
}

type clone struct {
	database string
	err      error
}

// NewClones begins to make databases from a template, ahead of them before they are asked for (at
// least 1). Close ends it.
func NewClones(cluster Cluster, template string, ahead int) *Clones {
	making, stop := context.WithCancel(context.Background())
	clones := &Clones{cluster: cluster, template: template, ahead: max(ahead, 1),
		ready: make(chan clone), context: making, stop: stop}
	clones.order(clones.ahead)
	return clones
}

// order has so many databases made in all.
func (c *Clones) order(inAll int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for ; c.ordered < inAll && c.context.Err() == nil; c.ordered++ {
		c.making.Go(c.makeOne)
	}
}

// makeOne makes a database and holds it ready.
func (c *Clones) makeOne() {
	c.turn.Lock()
	if c.context.Err() != nil {
		c.turn.Unlock()
		return
	}
	database, err := c.cluster.Clone(c.context, c.template)
	c.turn.Unlock()
	select {
	case c.ready <- clone{database, err}:
	case <-c.context.Done():
		if err == nil {
			c.Drop(database)
		}
	}
}

// Take is a fresh database's name, and has another one made in its place. The caller gives it back
// with Drop.
func (c *Clones) Take(ctx context.Context) (string, error) {
	c.order(c.take() + c.ahead)
	return c.receive(ctx)
}

// TakeOne is Take for a caller that uses a database more than once: no other is made in its place
// before one is asked for.
func (c *Clones) TakeOne(ctx context.Context) (string, error) {
	c.order(c.take())
	return c.receive(ctx)
}

// take counts one that is taken, and gives how many have been.
func (c *Clones) take() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.taken++
	return c.taken
}

func (c *Clones) receive(ctx context.Context) (string, error) {
	select {
	case made := <-c.ready:
		return made.database, made.err
	case <-c.context.Done():
		return "", fmt.Errorf("take a clone of %s: closed", c.template)
	case <-ctx.Done():
		return "", fmt.Errorf("take a clone of %s: %w", c.template, context.Cause(ctx))
	}
}

// Drop removes a database in the background; Close waits for it and reports its failure.
func (c *Clones) Drop(database string) {
	c.dropping.Go(func() {
		if err := c.cluster.Drop(context.Background(), database); err != nil {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.failures = append(c.failures, err)
		}
	})
}

// Close drops what was made and not taken, waits for every drop, and returns what failed of them.
// Nobody may use the Clones any more.
func (c *Clones) Close() error {
	c.mutex.Lock() // nothing is ordered any more once it has been stopped
	c.stop()
	c.mutex.Unlock()
	c.making.Wait()
	c.dropping.Wait()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return errors.Join(c.failures...)
}
