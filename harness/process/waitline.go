package process

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// lastLines is how many of a worker's last lines an error shows.
const lastLines = 10

// waiter waits for the first line that matches.
type waiter struct {
	match func(Line) bool
	found chan Line
}

// offer is called with the output's lock held; further lines after the first match are ignored.
func (w *waiter) offer(line Line) bool {
	if len(w.found) > 0 || !w.match(line) {
		return false
	}
	w.found <- line
	return true
}

// wait registers a waiter: nothing is missed between the lines that are there and those to come.
func (o *output) wait(match func(Line) bool) *waiter {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	waiting := &waiter{match: match, found: make(chan Line, 1)}
	for _, line := range o.linesLocked() {
		if line.Stream != Note && waiting.offer(line) {
			return waiting
		}
	}
	o.waiters = append(o.waiters, waiting)
	return waiting
}

func (o *output) forget(waiting *waiter) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.waiters = slices.DeleteFunc(o.waiters, func(other *waiter) bool { return other == waiting })
}

// WaitLine waits until the worker has written a line that matches, and returns the first one; what
// it has written before counts. It ends at once, with ErrEnded, when the worker has ended without
// it, and with the cause of ctx when that ends first; both errors show the worker's last lines.
// Match must be quick and must not call the Group. Lines dropped before WaitLine was called (see
// Lines) can't match.
func (g *Group) WaitLine(ctx context.Context, match func(Line) bool) (Line, error) {
	waiting := g.output.wait(match)
	defer g.output.forget(waiting)
	select {
	case line := <-waiting.found:
		return line, nil
	case <-g.ended:
	case <-ctx.Done():
	}
	select {
	case line := <-waiting.found:
		return line, nil
	default:
	}
	select {
	case <-g.ended:
		return Line{}, fmt.Errorf("wait for a line of %s: %w (%s)%s",
			g.spec.Name, ErrEnded, g.Ending(), g.quote())
	default:
		return Line{}, fmt.Errorf("wait for a line of %s: %w; %s%s",
			g.spec.Name, context.Cause(ctx), g.status(), g.quote())
	}
}

// quote shows the worker's last lines in an error.
func (g *Group) quote() string {
	lines := g.output.last(lastLines)
	if len(lines) == 0 {
		return "; it wrote nothing"
	}
	var text strings.Builder
	text.WriteString("; its last lines:")
	for _, line := range lines {
		shown := line.String()
		if len(shown) > 500 {
			shown = strings.ToValidUTF8(shown[:500], "") + "…"
		}
		text.WriteString("\n  " + shown)
	}
	return text.String()
}

// status says in an error how the worker is.
func (g *Group) status() string {
	select {
	case <-g.leaderEnded:
		return fmt.Sprintf("it has ended (%s), but what it started lives on: %s",
			g.Ending(), listing(g.Leftovers()))
	default:
		return "it is still running"
	}
}

// listing joins command lines for a message.
func listing(commands []string) string {
	if len(commands) == 0 {
		return "nothing"
	}
	return strings.Join(commands, " | ")
}
