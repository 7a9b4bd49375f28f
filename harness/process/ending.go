package process

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Why an act on a worker, or a wait for it, came to nothing. Each is wrapped in a message that
// names the worker.
var (
	// ErrAlreadyEnded says that the worker's leader had ended by itself: the kill killed nothing,
	// the stop stopped nothing.
	ErrAlreadyEnded = errors.New("it had already ended by itself")
	// ErrNotStopped says that a continue met a worker that was not stopped.
	ErrNotStopped = errors.New("it is not stopped")
	// ErrEnded says that the worker ended before the line that was waited for came.
	ErrEnded = errors.New("it ended without the line")
)

// Ending is how a worker ended: the wait status of its leader, and what it left behind.
type Ending struct {
	// Exit is the exit status, 0 to 255; meaningless when Signal is set.
	Exit int
	// Signal is the name of the signal that ended it, without SIG: "KILL", "TERM".
	Signal string
	// Leftovers are the command lines of those members that the harness had to end after the leader
	// had ended by itself, oldest first.
	Leftovers []string
}

// String writes an ending as output shows it: "exit 0", "signal KILL".
func (e Ending) String() string {
	if e.Signal != "" {
		return "signal " + e.Signal
	}
	return fmt.Sprintf("exit %d", e.Exit)
}

// signalName is a signal's name without SIG; real-time signals have only a number.
func signalName(signal unix.Signal) string {
	if name := unix.SignalName(signal); name != "" {
		return strings.TrimPrefix(name, "SIG")
	}
	return fmt.Sprintf("%d", int(signal))
}
