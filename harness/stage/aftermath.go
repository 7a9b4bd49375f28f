package stage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"lostreply/fakes"
	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/strict"
)

// Aftermath judges what no scenario has to ask for: calls that broke a channel's contract, calls
// that nothing scripted, processes that a worker left behind. It gives only what is wrong.
func (s *Stage) Aftermath() []Finding {
	var findings []Finding
	for _, name := range sortedKeys(s.channels) {
		at := s.scriptOf(name)
		for _, line := range channelAftermath(name, s.channels[name].Journal()) {
			findings = append(findings, Finding{Line: line, At: at, Call: true})
		}
	}
	for _, worker := range s.Workers() {
		if left := worker.leftBehind(s.context); len(left) > 0 {
			findings = append(findings, Finding{Line: check.Line{
				Verdict: check.Fail, Name: worker.Name + " leftover processes",
				Expected: "none", Actual: check.Text(strings.Join(left, " | ")),
			}})
		}
	}
	return findings
}

// Finding is a line that nobody had to ask for, with the place of the scenario that it is about;
// the place's zero value is the whole scenario.
type Finding struct {
	Line check.Line
	At   strict.Position
	// Call says that it is about a worker's calls: what else did not pass may follow from them.
	Call bool
}

// scriptOf is where the scenario scripts a channel.
func (s *Stage) scriptOf(channel string) strict.Position {
	for _, entry := range s.scenario.Channels.Entries {
		if entry.Name == channel {
			return entry.At
		}
	}
	return strict.Position{}
}

// leavingTime bounds how long the rest of a worker may take to end after its first process.
const leavingTime = time.Second

// leftBehind lists the processes that a worker left behind: those that had to be ended after its
// first process had, and those that still live.
func (w *Worker) leftBehind(ctx context.Context) []string {
	if !w.HasEnded() && len(w.Leftovers()) > 0 {
		ctx, cancel := clock.WithDeadline(ctx, leavingTime)
		defer cancel()
		select {
		case <-w.drained:
		case <-ctx.Done():
			return w.Leftovers()
		}
	}
	if !w.HasEnded() {
		return nil
	}
	return w.Ending().Leftovers
}

func channelAftermath(name string, journal []fakes.Record) []check.Line {
	var broken, unscripted []string
	for _, record := range journal {
		call := fmt.Sprintf("%s %d of worker %s (%s %s)",
			record.Kind, record.Nth, record.Worker, record.Method, record.Path)
		if record.Violation != "" {
			broken = append(broken, call+": "+record.Violation)
		}
		if record.Unscripted {
			unscripted = append(unscripted, call)
		}
	}
	var lines []check.Line
	if len(broken) > 0 {
		lines = append(lines, check.Line{
			Verdict: check.Fail, Name: name + " calls against the contract",
			Expected: "none", Actual: fmt.Sprint(len(broken)), Difference: broken,
		})
	}
	if len(unscripted) > 0 {
		lines = append(lines, check.Line{
			Verdict: check.Fail, Name: name + " unscripted calls",
			Expected: "none", Actual: fmt.Sprint(len(unscripted)), Difference: unscripted,
			Why: "script them, or say `otherwise` for the calls that do not matter",
		})
	}
	return lines
}

// Doubts are reasons why the run proves nothing although every check was made: script entries that
// no call met, workers that reached their database past the proxy, connections that broke,
// refusals that nobody met.
func (s *Stage) Doubts() []Doubt {
	var doubts []Doubt
	for _, name := range sortedKeys(s.channels) {
		for _, entry := range s.channels[name].Unused() {
			doubts = append(doubts, Doubt{At: entry.At, Text: fmt.Sprintf(
				"no call of channel %s met this entry of the script", name)})
		}
	}
	for _, worker := range s.Workers() {
		doubts = append(doubts, about(worker.doubts()...)...)
	}
	return append(doubts, s.refusalDoubts()...)
}

// doubts are what makes one worker's life worthless as evidence. A worker that ended well, or still
// runs, has used its databases; if none of its connections came through, it has another way there.
func (w *Worker) doubts() []string {
	var doubts []string
	served := !w.HasEnded() || w.Ending().String() == "exit 0"
	if served && !w.Connected() && w.stage.usesDatabases(w.Program) {
		doubts = append(doubts, fmt.Sprintf("worker %s never came through its database listener: it "+
			"bypassed the proxy, or its program needs no database (then say databases: [])", w.Name))
	}
	for _, database := range sortedKeys(w.listeners) {
		listener := w.listeners[database]
		for _, trouble := range listener.Troubles() {
			if w.stage.scenario.NeedsOwnServer() && unreachable(trouble) {
				continue
			}
			doubts = append(doubts, fmt.Sprintf("worker %s: %v", w.Name, trouble))
		}
		for _, undecided := range listener.Undecided() {
			doubts = append(doubts, fmt.Sprintf("worker %s: %s", w.Name, undecided))
		}
	}
	if w.HasEnded() && w.trouble != nil {
		doubts = append(doubts, fmt.Sprintf("worker %s: %v", w.Name, w.trouble))
	}
	return doubts
}

// unreachable tells whether a server was not there, or went away while it was connected to. Where
// the scenario itself crashes servers, a worker that tries meanwhile (or whose driver sends a
// cancel request) is what it is about.
func unreachable(trouble error) bool {
	for _, gone := range []error{
		syscall.ECONNREFUSED, syscall.ENOENT, syscall.ECONNRESET, syscall.EPIPE,
	} {
		if errors.Is(trouble, gone) {
			return true
		}
	}
	return false
}

func (s *Stage) usesDatabases(program string) bool {
	definition, _ := s.system.Programs.Get(program)
	return definition.Databases == nil || len(*definition.Databases) > 0
}
