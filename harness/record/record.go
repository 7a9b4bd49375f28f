// Package record runs a system once and tells what events came, by worker, with a ready-made
// `events:` block: the first thing to do with one's own worker.
package record

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"lostreply/harness/event"
	"lostreply/harness/lab"
	"lostreply/harness/result"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
	"lostreply/harness/wire"
)

// Recording is what came in one run.
type Recording struct {
	Result result.Result
	// Events is a ready-made block for system.yaml.
	Events string
	// NotRun are the programs that could not be run, with why.
	NotRun []string
}

// spoken is a statement that a worker sent to a database.
type spoken struct {
	database  string
	statement wire.Statement
}

// listener gathers statements from all connections.
type listener struct {
	mutex sync.Mutex
	heard []spoken
}

func (l *listener) hear(database string, statements []wire.Statement) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, statement := range statements {
		l.heard = append(l.heard, spoken{database, statement})
	}
}

// Scenario runs a scenario as it is, and tells its events.
func Scenario(ctx context.Context, in *lab.Lab, s *scenario.Scenario) Recording {
	ears := &listener{}
	r := run.Observed(ctx, in, s, ears.hear)
	return Recording{Result: r, Events: block(s.Under, ears.heard)}
}

// Invocation is a program with its arguments.
type Invocation struct {
	Program   string
	Arguments strict.Map[strict.Value]
}

// ParseInvocation reads "create user=u1 event=e1", by the types of the program's arguments.
func ParseInvocation(system *scenario.System, text string) (Invocation, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Invocation{}, fmt.Errorf("a run names a program: %s",
			strings.Join(system.Programs.Names(), ", "))
	}
	program, known := system.Programs.Get(words[0])
	if !known {
		return Invocation{}, fmt.Errorf("%s",
			strict.Unknown("program", words[0], system.Programs.Names()))
	}
	invocation := Invocation{Program: words[0]}
	for _, word := range words[1:] {
		name, value, found := strings.Cut(word, "=")
		argument, known := program.Args.Get(name)
		if !found || !known {
			return Invocation{}, fmt.Errorf("%s: write NAME=VALUE",
				strict.Unknown("argument of program "+words[0], name, program.Args.Names()))
		}
		invocation.Arguments.Entries = append(invocation.Arguments.Entries,
			strict.Entry[strict.Value]{Name: name, Value: typed(argument.Type, value)})
	}
	return invocation, program.Complete(words[0], invocation.Arguments)
}

// typed is a value of an argument's type; one that does not fit is refused by the argument itself.
func typed(kind, text string) strict.Value {
	value := strict.Value{Source: text, Data: text}
	switch kind {
	case "integer":
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			value.Data = number
		}
	case "boolean":
		if truth, err := strconv.ParseBool(text); err == nil {
			value.Data = truth
		}
	}
	return value
}

// System runs programs of a system once, one after the other, and tells their events. Without
// invocations it runs every program that needs no argument. Every call to a channel is accepted.
func System(
	ctx context.Context, in *lab.Lab, system *scenario.System, invocations []Invocation, sql []string,
) Recording {
	var notRun []string
	if len(invocations) == 0 {
		for _, entry := range system.Programs.Entries {
			err := entry.Value.Complete(entry.Name, strict.Map[strict.Value]{})
			if err != nil {
				notRun = append(notRun, err.Error())
				continue
			}
			invocations = append(invocations, Invocation{Program: entry.Name})
		}
	}
	recording := Scenario(ctx, in, synthetic(system, invocations, sql))
	recording.NotRun = notRun
	return recording
}

// synthetic is the scenario that a recording is.
func synthetic(
	system *scenario.System, invocations []Invocation, sql []string,
) *scenario.Scenario {
	s := &scenario.Scenario{
		ID: strict.Text{Value: "record"}, Title: "a recording", Under: system, File: system.File,
	}
	for _, channel := range system.Channels.Names() {
		s.Channels.Entries = append(s.Channels.Entries, strict.Entry[[]scenario.Entry]{
			Name: channel, Value: []scenario.Entry{{Otherwise: "any"}},
		})
	}
	for _, text := range sql {
		s.Steps = append(s.Steps, scenario.Step{Kind: "sql", Body: &scenario.SQL{Run: text}})
	}
	for _, invocation := range invocations {
		name := strict.Text{Value: invocation.Program}
		s.Steps = append(s.Steps, scenario.Step{Kind: "run", Body: &scenario.Run{
			Program: name, Args: invocation.Arguments,
		}})
	}
	return s
}

// ByWorker tells the events of each life of a worker, in order.
func (r Recording) ByWorker() []string {
	var lines []string
	for _, worker := range r.Result.Workers {
		lines = append(lines, fmt.Sprintf("worker %s.%d (program %s)",
			worker.Name, worker.Incarnation, worker.Program))
		for _, e := range r.Result.History {
			if e.Worker == worker.Name && e.Incarnation == worker.Incarnation {
				lines = append(lines, "  "+describe(e))
			}
		}
	}
	return lines
}

func describe(e event.Event) string {
	text := fmt.Sprintf("%-8s %s", e.Phase, e.Label)
	if e.Kind == event.Exit {
		text = "exit     " + e.Label
	}
	for _, address := range e.Addresses() {
		text += fmt.Sprintf("  {event: %s, nth: %d}", address.Event, address.Nth)
	}
	if e.Idle {
		text += "  (idle: not counted)"
	}
	return text
}
