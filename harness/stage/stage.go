// Package stage holds what one run of one scenario owns: its gate, its databases, its channels and
// its workers. Steps act on a stage; nothing of it outlives the run.
package stage

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"

	"github.com/jackc/pgx/v5"

	"lostreply/fakes"
	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/fact"
	"lostreply/harness/gate"
	"lostreply/harness/lab"
	"lostreply/harness/scenario"
	"lostreply/harness/wire"
)

// Stage is one run of one scenario. Its steps are done one at a time.
type Stage struct {
	scenario *scenario.Scenario
	system   *scenario.System
	lab      *lab.Lab
	name     string // names this run of the scenario in the markers of its processes
	observe  Observer

	gate *gate.Gate
	// scheduler is the gate's policy: it passes events on to the breakpoints of others.
	scheduler *gate.Scheduler
	holds     map[*scenario.Hold]*gate.Hold
	named     map[*scenario.Hold]event.Address

	databases map[string]*lab.Database
	channels  map[string]*fakes.Channel

	seen *seen // what workers send that a moved clock or a name does not mean

	mutex    sync.Mutex // guards what follows: workers end on their own
	workers  []*Worker
	refusals []refusal
	current  map[string]*Worker
	sessions map[string]*pgx.Conn
	controls map[string]*pgx.Conn
	values   map[string]check.Table
	snapshot map[string]fact.Reader // not nil while expectations are judged
	scratch  string                 // the scenario's own folder, once a worker needed one

	context context.Context // ends when the stage is torn down
	cancel  context.CancelFunc
}

// Observer is shown the statements that workers send to a database; several connections call it at
// once.
type Observer func(database string, statements []wire.Statement)

// New sets a stage: the scenario's databases are made, its channels listen for nobody yet, and
// every hold is armed. The stage must be torn down, also after an error of a step.
func New(
	ctx context.Context, of *lab.Lab, s *scenario.Scenario, observe Observer,
) (*Stage, error) {
	stage := &Stage{
		scenario: s, system: s.Under, lab: of, name: of.NameStage(s), observe: observe,
		holds: map[*scenario.Hold]*gate.Hold{}, named: map[*scenario.Hold]event.Address{},
		databases: map[string]*lab.Database{}, channels: map[string]*fakes.Channel{},
		current: map[string]*Worker{}, sessions: map[string]*pgx.Conn{},
		controls: map[string]*pgx.Conn{}, values: map[string]check.Table{}, seen: newSeen(),
	}
	stage.context, stage.cancel = context.WithCancel(context.WithoutCancel(ctx))
	breakpoints := gate.NewBreakpoints()
	for _, armed := range s.Armed {
		hold, err := breakpoints.Arm(armed.Address)
		if err != nil {
			return nil, fmt.Errorf("arm %s: %w", armed.Hold.At, err)
		}
		stage.holds[armed.Hold] = hold
		stage.named[armed.Hold] = armed.Address
	}
	stage.scheduler = gate.NewScheduler(breakpoints)
	stage.gate = gate.New(stage.scheduler)
	for _, channel := range s.Under.Channels.Entries {
		script, _ := s.Channels.Get(channel.Name)
		stage.channels[channel.Name] = fakes.New(channel.Name, channel.Value, script, stage.gate)
	}
	if err := stage.openDatabases(ctx); err != nil {
		return nil, errors.Join(err, stage.TearDown(ctx))
	}
	return stage, nil
}

func (s *Stage) openDatabases(ctx context.Context) error {
	databases, err := s.lab.Databases(ctx, s.scenario)
	if err != nil {
		return fmt.Errorf("set up the databases of %s: %w", s.system.Name.Value, err)
	}
	for _, database := range databases {
		s.databases[database.Name] = database
	}
	return nil
}

// Scenario is what the stage runs.
func (s *Stage) Scenario() *scenario.Scenario { return s.scenario }

// History is every event so far.
func (s *Stage) History() []event.Event { return s.gate.History() }

// Recorded is how many events the history has.
func (s *Stage) Recorded() int { return s.gate.Recorded() }

// Channel is a channel of the system, which the loader has made sure of.
func (s *Stage) Channel(name string) *fakes.Channel { return s.channels[name] }

// Workers are all lives of all workers, in the order of their starts.
func (s *Stage) Workers() []*Worker {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]*Worker(nil), s.workers...)
}

// Worker is the current life of a worker.
func (s *Stage) Worker(name string) (*Worker, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	worker := s.current[name]
	if worker == nil {
		return nil, Inconclusive{Reason: fmt.Sprintf("worker %s was never started", name)}
	}
	return worker, nil
}

// Remember keeps a value under a name, for unchanged_since.
func (s *Stage) Remember(name string, value check.Table) { s.values[name] = value }

// Recall is a value that Remember kept.
func (s *Stage) Recall(name string) (check.Table, error) {
	value, known := s.values[name]
	if !known {
		return check.Table{}, Inconclusive{Reason: fmt.Sprintf("check %s read nothing", name)}
	}
	return value, nil
}

// TearDown ends every worker quietly, closes the channels and gives the databases back. It is
// called once, whatever became of the steps.
func (s *Stage) TearDown(ctx context.Context) error {
	s.gate.Close()
	var failures []error
	for _, worker := range s.Workers() {
		failures = append(failures, worker.endQuietly(ctx))
	}
	for _, name := range sortedKeys(s.channels) {
		s.channels[name].Close()
	}
	failures = append(failures, s.closeConnections(ctx))
	for _, name := range sortedKeys(s.databases) {
		failures = append(failures, s.databases[name].Drop(ctx))
	}
	s.cancel()
	failures = append(failures, s.removeScratch())
	return errors.Join(failures...)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
