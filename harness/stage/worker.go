package stage

import (
	"context"
	"errors"
	"fmt"

	"lostreply/fakes"
	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/process"
	"lostreply/harness/wire"
)

// lastLines is how many of a worker's lines are shown when something went wrong.
const lastLines = 10

// Worker is one life of a worker: a process group, and the listeners that only it knows.
type Worker struct {
	Name        string
	Incarnation int
	Program     string
	Command     []string

	stage     *Stage
	group     *process.Group
	listeners map[string]*wire.Listener // by database
	channels  []*fakes.Channel          // that it was told of
	closers   []func()
	drained   chan struct{} // the group is gone, its output read, its backends ended
	done      chan struct{} // its exit has passed the gate
	trouble   error         // what went wrong while draining; valid once drained is closed
}

// watch follows a worker to its end: its output is drained, its backends are gone (so that its
// locks are released), and only then is its exit an event.
func (w *Worker) watch(ctx context.Context) {
	<-w.group.Ended()
	w.trouble = errors.Join(w.closeListeners(ctx), w.settle(ctx))
	close(w.drained)
	_, act, _ := w.stage.gate.Arrive(ctx, event.Event{
		Worker: w.Name, Incarnation: w.Incarnation, Kind: event.Exit, Phase: event.Response,
		Names: []string{event.ExitName}, Label: w.group.Ending().String(),
	})
	close(w.done)
	act.Carried()
}

// settle waits until the channels are done with the calls of a worker that has ended. A call that
// is held is not waited for: its scenario decides when it goes on.
func (w *Worker) settle(ctx context.Context) error {
	if w.stage.gate.Holds(w.Name, w.Incarnation) {
		return nil
	}
	var failures []error
	for _, channel := range w.channels {
		failures = append(failures, channel.Settle(ctx, w.Name, w.Incarnation))
	}
	return errors.Join(failures...)
}

func (w *Worker) closeListeners(ctx context.Context) error {
	var failures []error
	for _, database := range sortedKeys(w.listeners) {
		failures = append(failures, w.listeners[database].Close(ctx))
	}
	return errors.Join(failures...)
}

func (w *Worker) closeChannels() {
	for _, closer := range w.closers {
		closer()
	}
}

// Drained is closed when the worker's group has gone, with its output read and its backends ended.
func (w *Worker) Drained() <-chan struct{} { return w.drained }

// Done is closed when the worker has ended and its exit is held by nothing.
func (w *Worker) Done() <-chan struct{} { return w.done }

// HasEnded tells whether the worker has ended.
func (w *Worker) HasEnded() bool {
	select {
	case <-w.drained:
		return true
	default:
		return false
	}
}

// Leftovers are the command lines of what lives on although the worker's own first process has
// ended; none while that lives, and none once all are gone.
func (w *Worker) Leftovers() []string { return w.group.Leftovers() }

// Ending is how the worker ended; valid once it has.
func (w *Worker) Ending() process.Ending { return w.group.Ending() }

// Lines are what the worker has printed so far.
func (w *Worker) Lines() []process.Line { return w.group.Lines() }

// LastLines are its last lines, for a reader.
func (w *Worker) LastLines() []string {
	lines := w.group.LastLines(lastLines)
	texts := make([]string, 0, len(lines)+1)
	texts = append(texts, fmt.Sprintf("last lines of worker %s:", w.Name))
	for _, line := range lines {
		texts = append(texts, "  "+line.Printable())
	}
	if len(lines) == 0 {
		texts = append(texts, "  (it printed nothing)")
	}
	return texts
}

// WaitLine waits for a line that matches.
func (w *Worker) WaitLine(ctx context.Context, match func(process.Line) bool) error {
	_, err := w.group.WaitLine(ctx, match)
	return err
}

// Kill ends the worker by SIGKILL: what it still has on the way is abandoned, every member of its
// group is confirmed gone, and its backends have ended when Kill returns.
func (w *Worker) Kill(ctx context.Context) error {
	w.stage.gate.MarkDead(w.Name, w.Incarnation)
	if _, err := w.group.Kill(ctx); err != nil {
		return Inconclusive{Reason: err.Error()}
	}
	select {
	case <-w.drained:
		return w.trouble
	case <-ctx.Done():
		return fmt.Errorf("worker %s was killed, but its connections did not end: %w",
			w.Name, context.Cause(ctx))
	}
}

// Stop halts the worker by SIGSTOP, each member confirmed; then its held events go on at the other
// side, unseen by the worker.
func (w *Worker) Stop(ctx context.Context) error {
	if _, err := w.group.Stop(ctx); err != nil {
		return Inconclusive{Reason: err.Error()}
	}
	for _, hold := range w.stage.gate.ResolveAll(w.Name, w.Incarnation, gate.Passing()) {
		if hold.Event().Phase == event.Response {
			continue // the worker does not see its answer before it goes on: nothing can race it
		}
		if err := carriedOut(ctx, hold, "stop"); err != nil {
			return err
		}
	}
	return nil
}

// Continue lets a stopped worker run on.
func (w *Worker) Continue(ctx context.Context) error {
	if _, err := w.group.Continue(ctx); err != nil {
		return Inconclusive{Reason: err.Error()}
	}
	return nil
}

// Connected tells whether the worker ever came through one of its listeners.
func (w *Worker) Connected() bool {
	for _, listener := range w.listeners {
		if listener.Connections() > 0 {
			return true
		}
	}
	return len(w.listeners) == 0
}

// endQuietly ends a worker that still runs, without a verdict.
func (w *Worker) endQuietly(ctx context.Context) error {
	if !w.HasEnded() {
		w.stage.gate.MarkDead(w.Name, w.Incarnation)
		if err := w.group.Terminate(ctx); err != nil {
			return err
		}
	}
	w.closeChannels()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("worker %s did not come to its end: %w", w.Name, context.Cause(ctx))
	}
}
