package wire

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"lostreply/harness/clock"
)

// Close ends the listener after its worker's end (mark it dead at the gate, kill, reap, then
// Close). It returns when every backend is gone, so that their locks are released and a successor
// may start. A backend that waits for a lock is terminated; one at work is waited for. When ctx
// ends first, the sockets are cut and the error names the backends that remain.
func (l *Listener) Close(ctx context.Context) error {
	_ = l.socket.Close()
	l.mutex.Lock()
	l.closing = true
	open := make([]*connection, 0, len(l.open))
	for c := range l.open {
		open = append(open, c)
	}
	l.mutex.Unlock()
	l.stop(ErrClosed)
	gone := make(chan struct{})
	go func() {
		l.serving.Wait()
		close(gone)
	}()
	err := l.seeOff(ctx, open, gone)
	if err == nil {
		return nil
	}
	remaining := l.Backends()
	for _, c := range open {
		c.cut()
	}
	<-gone
	return fmt.Errorf("close the connections of worker %s to database %s: backends %v remain "+
		"(at work, or the worker's sockets are still open in another process): %w",
		l.config.Worker, l.config.Database, remaining, err)
}

// seeOff waits until every connection has ended, terminating the backends that wait for locks.
func (l *Listener) seeOff(ctx context.Context, open []*connection, gone <-chan struct{}) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	var terminating sync.WaitGroup
	defer terminating.Wait()
	defer enough()
	failed := make(chan error, 1)
	terminating.Go(func() {
		err := clock.Until(ctx, func(ctx context.Context) (bool, error) {
			return false, l.terminateBlocked(ctx, open)
		})
		failed <- err
	})
	select {
	case <-gone:
		return nil
	case err := <-failed:
		return err
	}
}

func (l *Listener) terminateBlocked(ctx context.Context, open []*connection) error {
	if l.config.Terminate == nil {
		return nil
	}
	pids := make([]uint32, 0, len(open))
	for _, c := range open {
		if pid := c.backend.Load(); pid != 0 && c.lingers() {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	for _, pid := range pids {
		if err := l.config.Terminate(ctx, pid); err != nil {
			return fmt.Errorf("terminate backend %d, which waits for a lock: %w", pid, err)
		}
	}
	return nil
}
