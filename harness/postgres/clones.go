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
	ready    chan clone
	stop     context.CancelFunc
	making   sync.WaitGroup
	dropping sync.WaitGroup

	mutex    sync.Mutex // guards failures
	failures []error
}

type clone struct {
	database string
	err      error
}

// NewClones begins to make databases from a template, at most ahead before they are asked for
// (at least 1). Close ends it.
func NewClones(cluster Cluster, template string, ahead int) *Clones {
	making, stop := context.WithCancel(context.Background())
	// One more is made and waits to be put into the channel.
	clones := &Clones{cluster: cluster, template: template, stop: stop,
		ready: make(chan clone, max(ahead, 1)-1)}
	clones.making.Go(func() { clones.keepMaking(making) })
	return clones
}

func (c *Clones) keepMaking(ctx context.Context) {
	defer close(c.ready)
	for ctx.Err() == nil {
		database, err := c.cluster.Clone(ctx, c.template)
		select {
		case c.ready <- clone{database, err}:
		case <-ctx.Done():
			if err == nil {
				c.Drop(database)
			}
			return
		}
	}
}

// Take is a fresh database's name. The caller gives it back with Drop.
func (c *Clones) Take(ctx context.Context) (string, error) {
	select {
	case made, open := <-c.ready:
		if !open {
			return "", fmt.Errorf("take a clone of %s: closed", c.template)
		}
		return made.database, made.err
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
	c.stop()
	for made := range c.ready {
		if made.err == nil {
			c.Drop(made.database)
		}
	}
	c.making.Wait()
	c.dropping.Wait()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return errors.Join(c.failures...)
}
