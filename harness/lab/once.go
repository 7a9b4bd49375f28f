package lab

import (
	"context"
	"sync"
)

// once makes a value the first time it is asked for; all who ask get the same value or error. A
// making that ended because its context did is done anew for the next who asks.
type once[T any] struct {
	make  func(ctx context.Context) (T, error)
	mutex sync.Mutex
	made  bool
	value T
	err   error
}

func newOnce[T any](make func(ctx context.Context) (T, error)) *once[T] {
	return &once[T]{make: make}
}

func (o *once[T]) get(ctx context.Context) (T, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.made {
		o.value, o.err = o.make(ctx)
		o.made = o.err == nil || ctx.Err() == nil
	}
	return o.value, o.err
}
