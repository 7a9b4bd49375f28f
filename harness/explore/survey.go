package explore

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/check"
	"lostreply/harness/fact"
	"lostreply/harness/result"
	"lostreply/harness/run"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
	"lostreply/harness/strict"
)

// seen is what is left of a run without a fault.
type seen struct {
	result result.Result
	facts  map[string]check.Table
	sends  map[string]int64 // by channel
}

// survey is what the workload does without a fault, twice alike.
type survey struct {
	places    []place // of the workload, without its recovery
	faultless map[scenario.Life]bool
	checks    []*yaml.Node // what every run with a fault must come to
	notes     []string
	// damage is what a run without a fault came to. It fails where an invariant does not hold.
	damage outcome
	doings map[string]string // of each worker, those of the recovery too
}

// rounds are how often the recovery is run: the second number only where the first left something
// due.
func rounds() []int { return []int{2, 8} }

// recorded runs the workload twice, and refuses one that does not repeat.
func (c *campaign) recorded(ctx context.Context) (survey, error) {
	both := make([]seen, 2)
	for i := range both {
		var err error
		if both[i], err = c.record(ctx, schedule{}); err != nil {
			return survey{}, err
		}
	}
	for i := range both {
		both[i].result.History = c.workload.atWork(both[i].result.History)
	}
	first, second := namedByWorker(both[0].result), namedByWorker(both[1].result)
	if difference := differences(first, second); len(difference) > 0 {
		return survey{}, refused(c.workload.scenario, "two runs without a fault do not have the same "+
			"named events (- the first, + the second):\n%s\nwhat would make it repeat: a name that means "+
			"one statement (events: contains, params), ignore: for a driver's pings, workers that run one "+
			"after the other or wait for each other, and for a poller an end (wait: idle)",
			strings.Join(difference, "\n"))
	}
	s := survey{
		faultless: map[scenario.Life]bool{}, doings: doingsOf(both[0].result.History),
	}
	maps.DeleteFunc(s.doings, func(worker, _ string) bool { return c.workload.isPoller(worker) })
	for _, each := range placesOf(both[0].result.History) {
		if !strings.HasPrefix(each.Worker, recoveryPrefix) {
			s.places = append(s.places, each)
		}
	}
	for _, worker := range both[0].result.Workers {
		life := scenario.Life{Worker: worker.Name, Incarnation: worker.Incarnation}
		s.faultless[life] = worker.Ending == "exit 0"
	}
	s.damage = c.judge(schedule{}, both[0].result)
	s.checks = c.workload.always()
	if len(c.workload.expect) > 0 {
		s.checks = append(s.checks, c.workload.expect...)
		return s, nil
	}
	for _, each := range c.workload.groups {
		other, err := c.record(ctx, schedule{order: each.reversed()})
		if err != nil {
			return survey{}, err
		}
		both = append(both, other)
	}
	c.converge(&s, both)
	return s, nil
}

// record runs the workload once without a fault, and its recovery.
func (c *campaign) record(ctx context.Context, order schedule) (seen, error) {
	s := c.workload.scenario
	var last seen
	for _, times := range rounds() {
		source, err := c.workload.compose(script{
			name: s.FileName(), title: "without a fault", schedule: order, rounds: times,
			advance: c.options.Advance, checks: c.workload.always(),
		})
		if err != nil {
			return seen{}, err
		}
		loaded, err := scenario.LoadText(s.File, source, s.Under)
		if err != nil {
			return seen{}, refused(s, "%v", err)
		}
		last = seen{facts: map[string]check.Table{}, sends: map[string]int64{}}
		last.result = run.Looked(ctx, c.lab, loaded, func(ctx context.Context, on *stage.Stage) error {
			return c.look(ctx, on, &last)
		})
		came := c.judge(schedule{}, last.result)
		if came.Verdict == check.Pass || came.breaksOnly(c.workload.invariant) {
			return last, nil
		}
		if !came.restless() {
			break
		}
	}
	return seen{}, refused(s, "without a fault it does not come to rest:\n%s%s",
		strings.Join(reasons(last.result), "\n"), pollerAdvice(endless(last.result)))
}

// endless are the workers that had not ended when a run did, by name.
func endless(r result.Result) []string {
	var names []string
	for _, worker := range r.Workers {
		if worker.Quiet {
			names = append(names, worker.Name)
		}
	}
	return names
}

// reasons are what keeps a result from passing.
func reasons(r result.Result) []string {
	if r.Skipped != "" {
		return []string{"  skipped: " + r.Skipped}
	}
	var lines []string
	for _, entry := range r.Entries {
		switch {
		case entry.Kind == result.Trouble:
			lines = append(lines, "  "+entry.Text)
		case entry.Kind == result.Check && entry.Line.Verdict != check.Pass:
			lines = append(lines, "  "+entry.Line.Statement())
		}
	}
	return lines
}

// look reads the facts and the journals.
func (c *campaign) look(ctx context.Context, on *stage.Stage, into *seen) error {
	for _, name := range c.factNames() {
		definition, _ := c.workload.scenario.Under.Facts.Get(name)
		reader, err := on.Reader(ctx, definition.Database, false)
		if err != nil {
			return err
		}
		if into.facts[name], err = fact.Read(ctx, reader, definition.SQL); err != nil {
			return fmt.Errorf("read fact %s: %w", name, err)
		}
	}
	for _, channel := range c.workload.scenario.Under.Channels.Names() {
		for _, total := range on.Channel(channel).Table().Totals {
			if total.Name == sendsTotal {
				into.sends[channel] = total.Number
			}
		}
	}
	return nil
}

// sendsTotal is the count of a journal that a fault may not change.
const sendsTotal = "sends"

// factNames are the facts that must converge.
func (c *campaign) factNames() []string {
	system := c.workload.scenario.Under
	if len(system.Recover.Converge) == 0 {
		return system.Facts.Names()
	}
	return strictTexts(system.Recover.Converge)
}

func strictTexts(texts []strict.Text) []string {
	values := make([]string, len(texts))
	for i, each := range texts {
		values[i] = each.Value
	}
	return values
}

// converge makes checks of what is left without a fault. What differs between two such runs, or by
// who of a group comes first, is nobody's to expect: it is left out, and told.
func (c *campaign) converge(s *survey, all []seen) {
	first := all[0]
	differs := func(same func(seen) bool) bool {
		return slices.ContainsFunc(all, func(other seen) bool { return !same(other) })
	}
	for _, name := range c.factNames() {
		rows := flowList()
		writable := true
		for _, row := range first.facts[name].Rows {
			values, can := literals(row)
			writable = writable && can
			rows.Content = append(rows.Content, values)
		}
		switch {
		case differs(func(o seen) bool { return reflect.DeepEqual(first.facts[name], o.facts[name]) }):
			s.notes = append(s.notes,
				fmt.Sprintf("fact %s differs between two runs without a fault: not compared", name))
		case !writable:
			s.notes = append(s.notes,
				fmt.Sprintf("fact %s holds values that a scenario can't write: not compared", name))
		default:
			s.checks = append(s.checks, step("check", pair{"fact", text(name)}, pair{"rows", rows}))
		}
	}
	for _, channel := range c.workload.scenario.Under.Channels.Names() {
		if differs(func(o seen) bool { return first.sends[channel] == o.sends[channel] }) {
			s.notes = append(s.notes, fmt.Sprintf("sends of channel %s differ between two runs without a "+
				"fault: not compared", channel))
			continue
		}
		s.checks = append(s.checks, step("check", pair{"journal", text(channel)},
			pair{"count", flow(pair{sendsTotal, number(first.sends[channel])})}))
	}
}

// namedByWorker are the named events of each worker of the workload, in order.
func namedByWorker(r result.Result) map[string][]string {
	named := map[string][]string{}
	for _, e := range r.History {
		life := fmt.Sprintf("%s.%d", e.Worker, e.Incarnation)
		for _, address := range e.Addresses() {
			if !e.Idle {
				named[life] = append(named[life], fmt.Sprintf("%s %s", address, e.Label))
			}
		}
	}
	return named
}

// differencesShown bounds how many events of one run and one worker are shown.
const differencesShown = 5

// differences are the named events that one of two runs has and the other has not, by worker.
func differences(first, second map[string][]string) []string {
	var lives, lines []string
	for life := range first {
		lives = append(lives, life)
	}
	for life := range second {
		lives = append(lives, life)
	}
	slices.Sort(lives)
	more := 0
	for _, life := range slices.Compact(lives) {
		a, b := first[life], second[life]
		for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
			a, b = a[1:], b[1:]
		}
		for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
		more += max(len(a)-differencesShown, 0) + max(len(b)-differencesShown, 0)
		for _, each := range a[:min(len(a), differencesShown)] {
			lines = append(lines, "- "+each)
		}
		for _, each := range b[:min(len(b), differencesShown)] {
			lines = append(lines, "+ "+each)
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return lines
}
