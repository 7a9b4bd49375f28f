package explore

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/scenario"
)

// ErrRefused is what a scenario ends with that can't be explored; its text says what to do.
var ErrRefused = errors.New("can't be explored")

// workload is what a scenario does, without its faults and its checks.
type workload struct {
	scenario *scenario.Scenario
	variant  string // the build it runs against; empty for the system as it stands
	items    []item
	pollers  map[string]string // by name, the event by which they look for work
	groups   []*group          // of the workers that take turns, where orders are explored
	recovery recovery
	expect   []*yaml.Node // the scenario's own expectations, where they are what judges
	clock    *yaml.Node   // nil when it is the system's
	deadline *yaml.Node   // nil for the default
}

// item is one thing that a workload does: a step as it stands, a launch, the wait for the ends of
// workers that an earlier launch left running, or the turns that a group of them takes.
type item struct {
	step   *yaml.Node
	launch *launch
	wait   []string
	group  *group
	number int // its place in the scenario's workload
}

// launch starts one program under one or several names. Its workers come to their end at once, or
// at a later wait.
type launch struct {
	program string
	names   []string
	args    *yaml.Node
	goesOn  bool
}

// recovery is what the system file says brings the system to rest, and what must hold whatever the
// fault was.
type recovery struct {
	runs       []launch
	until      *yaml.Node
	invariants []invariant
}

func refused(s *scenario.Scenario, format string, arguments ...any) error {
	return fmt.Errorf("%s %w: %s", s.Name(), ErrRefused, fmt.Sprintf(format, arguments...))
}

// newWorkload takes the workload out of a scenario. systemText is the text of its system file.
func newWorkload(
	s *scenario.Scenario, systemText []byte, options Options,
) (*workload, error) {
	if s.Under.Recover == nil {
		return nil, refused(s, "system %s does not say how it comes to rest: add to %s\n"+
			"  recover: {run: [{program: PROGRAM}], until: {fact: FACT, rows: []}}",
			s.Under.Name.Value, s.Under.File)
	}
	if s.ClockMode() == scenario.ClockReal {
		return nil, refused(s, "its clock is real, and leases and delays could not be made to pass: "+
			"say clock: frozen or clock: moving")
	}
	root := s.Document
	w := &workload{
		scenario: s, variant: options.Variant,
		clock: valueOf(root, "clock"), deadline: valueOf(root, "deadline"),
	}
	if w.variant == "" {
		w.variant = s.Variant.Value
	}
	if expect := valueOf(root, "expect"); options.Expectations && expect != nil {
		w.expect = expect.Content
	}
	w.findPollers()
	w.take(valueOf(root, "steps").Content)
	for i := range w.items {
		w.items[i].number = i
	}
	if !slices.ContainsFunc(w.items, func(i item) bool { return i.launch != nil }) {
		return nil, refused(s, "it starts no worker: add the programs that do the work, as run or start")
	}
	if options.Interleave {
		if err := w.gather(options.Together); err != nil {
			return nil, err
		}
	}
	return w, w.readRecovery(systemText)
}

// take keeps the steps that do the work. Holds, acts, locks of servers, schedules and checks go; a
// program may end with any status, and print what it likes.
func (w *workload) take(nodes []*yaml.Node) {
	waited := map[string]bool{}
	for i, step := range w.scenario.Steps {
		body := nodes[i].Content[1]
		switch typed := step.Body.(type) {
		case *scenario.SQL, *scenario.Advance:
			w.items = append(w.items, item{step: nodes[i]})
		case *scenario.Run:
			w.launch(typed.Program.Value, typed.As.Values(), body, false)
		case *scenario.Start:
			names := w.launch(typed.Program.Value, typed.As.Values(), body,
				w.allAwaited(i, namesOf(typed)))
			for _, name := range names {
				waited[name] = false
			}
		case *scenario.Wait:
			if typed.ForEnd() {
				w.await(typed.Worker.Values(), waited)
			}
		}
	}
}

func namesOf(step *scenario.Start) []string {
	if len(step.As) == 0 {
		return []string{step.Program.Value}
	}
	return step.As.Values()
}

func (w *workload) launch(program string, names []string, body *yaml.Node, goesOn bool) []string {
	if len(names) == 0 {
		names = []string{program}
	}
	w.items = append(w.items, item{launch: &launch{
		program: program, names: names, args: valueOf(body, "args"), goesOn: goesOn,
	}})
	return names
}

// await adds the wait for those of the named workers that were left running.
func (w *workload) await(names []string, waited map[string]bool) {
	var left []string
	for _, name := range names {
		if w.runs(name) && !waited[name] {
			left = append(left, name)
			waited[name] = true
		}
	}
	if len(left) > 0 {
		w.items = append(w.items, item{wait: left})
	}
}

// runs tells whether the latest launch of a name left it running.
func (w *workload) runs(name string) bool {
	for _, each := range slices.Backward(w.items) {
		if each.launch != nil && slices.Contains(each.launch.names, name) {
			return each.launch.goesOn
		}
	}
	return false
}

// allAwaited tells whether the end of each of the workers that a start step names is waited for by
// a later step, before one of them is started again. Without that, they are waited for at once.
func (w *workload) allAwaited(at int, names []string) bool {
	left := slices.Clone(names)
	for _, step := range w.scenario.Steps[at+1:] {
		var started []string
		switch typed := step.Body.(type) {
		case *scenario.Wait:
			if typed.ForEnd() {
				left = slices.DeleteFunc(left, func(name string) bool {
					return slices.Contains(typed.Worker.Values(), name)
				})
			}
		case *scenario.Start:
			started = namesOf(typed)
		case *scenario.Run:
			started = append(typed.As.Values(), typed.Program.Value)
		}
		if len(left) == 0 {
			return true
		}
		if slices.ContainsFunc(started, func(name string) bool { return slices.Contains(left, name) }) {
			return false
		}
	}
	return false
}

func (w *workload) readRecovery(systemText []byte) error {
	root, err := mappingOf(systemText)
	if err != nil {
		return refused(w.scenario, "read %s: %v", w.scenario.Under.File, err)
	}
	described := valueOf(root, "recover")
	w.recovery.until = valueOf(described, "until")
	for _, run := range valueOf(described, "run").Content {
		program := valueOf(run, "program").Value
		w.recovery.runs = append(w.recovery.runs, launch{
			program: program, names: []string{recoveryPrefix + program}, args: valueOf(run, "args"),
		})
	}
	w.recovery.invariants = invariantsOf(w.scenario.Under, valueOf(described, "invariants"))
	return nil
}

// recoveryPrefix begins the names of the workers that recover.
const recoveryPrefix = "recovery-"
