package scenario

import (
	"strconv"
	"strings"

	"lostreply/harness/strict"
)

// endingSignals are the signals by which a process can end, as wait statuses name them (signal(7),
// x86 and ARM).
func endingSignals() []string {
	return []string{
		"ABRT", "ALRM", "BUS", "FPE", "HUP", "ILL", "INT", "IO", "KILL", "PIPE", "PROF", "PWR", "QUIT",
		"SEGV", "STKFLT", "SYS", "TERM", "TRAP", "USR1", "USR2", "VTALRM", "XCPU", "XFSZ",
	}
}

// ended reports what no process ends with: a misspelt signal would only ever fail.
func (c *scenarioChecker) ended(ended *Ended) {
	given := 0
	for _, each := range []bool{ended.Signal != "", ended.Exit != nil, ended.Any} {
		if each {
			given++
		}
	}
	if given != 1 {
		c.problems.Addf(ended.At, "ended takes exactly one of signal, exit and any: true")
		return
	}
	bare := strings.TrimPrefix(ended.Signal, "SIG")
	_, notNumber := strconv.Atoi(ended.Signal)
	switch {
	case ended.Signal == "", contains(endingSignals(), ended.Signal), notNumber == nil:
	case contains(endingSignals(), bare):
		c.problems.Addf(ended.At, "signals are named without SIG: %s", bare)
	default:
		c.problems.Addf(ended.At, "%s", strict.Unknown("signal", ended.Signal, endingSignals()))
	}
}
