package check

import (
	"fmt"
	"strings"
)

// Ending is how a worker's process ended, by its wait status: with an exit code, or by a signal.
type Ending struct {
	// Signal is the signal's name, with or without SIG; empty when the process exited by itself.
	Signal string
	// Exit is the exit code; it has no meaning when there is a Signal.
	Exit int
}

// String is how an ending is printed: "signal KILL" or "exit 73".
func (e Ending) String() string {
	if signal := e.signal(); signal != "" {
		return "signal " + signal
	}
	return fmt.Sprintf("exit %d", e.Exit)
}

// signal is the signal's name as scenarios write it: KILL for SIGKILL.
func (e Ending) signal() string {
	return strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(e.Signal)), "SIG")
}

// CompareEnding judges how a worker ended. Actual is nil while it runs.
func CompareEnding(worker string, expected Ending, actual *Ending) Line {
	name := named(worker, "ended")
	if actual == nil {
		return judged(name, false, expected.String(), "still running")
	}
	return judged(name, expected.String() == actual.String(), expected.String(), actual.String())
}

// CompareEnded judges whether a worker ended, however that was. Actual is nil while it runs.
func CompareEnded(worker string, actual *Ending) Line {
	name := named(worker, "ended")
	if actual == nil {
		return judged(name, false, "any end", "still running")
	}
	return judged(name, true, "any end", actual.String())
}
