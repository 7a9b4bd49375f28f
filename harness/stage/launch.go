package stage

import (
	"context"
	"errors"
	"fmt"

	"lostreply/harness/launch"
	"lostreply/harness/process"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
	"lostreply/harness/wire"
)

// Launch starts one life of a worker: a listener of its own for each database and channel, a clean
// environment, and its process group. It returns once the worker is ready, as its program says.
func (s *Stage) Launch(
	ctx context.Context, program, as string, arguments strict.Map[strict.Value],
) (*Worker, error) {
	definition, _ := s.system.Programs.Get(program)
	worker := s.newWorker(program, as)
	values := launch.NewValues(as)
	spec, err := s.prepare(ctx, worker, &definition, arguments, values)
	if err != nil {
		err = fmt.Errorf("start worker %s: %w", as, err)
	} else {
		worker.Command = append([]string{spec.Path}, spec.Args...)
		if s.scenario.Scheduled[scenario.Life{Worker: as, Incarnation: worker.Incarnation}] {
			s.scheduler.Schedule(as, worker.Incarnation)
		}
		worker.group, err = process.Start(ctx, spec)
	}
	if err != nil {
		worker.closeChannels()
		return nil, errors.Join(err, worker.closeListeners(ctx))
	}
	s.enter(worker)
	go worker.watch(s.context)
	return worker, s.awaitReady(ctx, worker, definition.Ready, values)
}

// prepare opens what the worker will talk to, and puts together what is executed.
func (s *Stage) prepare(
	ctx context.Context, worker *Worker, program *scenario.Program,
	arguments strict.Map[strict.Value], values launch.Values,
) (process.Spec, error) {
	authority, err := s.lab.Authority(ctx)
	if err != nil {
		return process.Spec{}, err
	}
	values[launch.AuthorityFile] = authority.File
	if err := s.connectWorker(worker, values, authority.Wire); err != nil {
		return process.Spec{}, err
	}
	if err := s.openChannels(worker, program, values); err != nil {
		return process.Spec{}, err
	}
	if program.Refers(scenario.ScratchName) {
		if values[scenario.ScratchName], err = s.scratchFolder(); err != nil {
			return process.Spec{}, err
		}
	}
	names, given := program.Arguments(arguments)
	values.AddArguments(given)
	if err := s.lab.Offer(ctx, s.scenario, program, values); err != nil {
		return process.Spec{}, err
	}
	if err := values.ChoosePorts(program); err != nil {
		return process.Spec{}, err
	}
	spec, err := launch.Spec(s.system, program, names, values, s.system.OnlyDatabase())
	if err != nil {
		return process.Spec{}, err
	}
	if spec.Path, err = s.lab.Executable(ctx, s.scenario, program, spec.Path); err != nil {
		return process.Spec{}, err
	}
	spec.Name = "worker " + worker.Name
	spec.Marker = process.Marker(s.lab.Run(), s.name+":"+worker.Name, worker.Incarnation)
	spec.Keeper, spec.Strangers = s.lab.Keeper(), s.lab.Strangers()
	return spec, nil
}

func (s *Stage) newWorker(program, as string) *Worker {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	worker := &Worker{
		Name: as, Incarnation: 1, Program: program, stage: s,
		drained: make(chan struct{}), done: make(chan struct{}),
		listeners: map[string]*wire.Listener{},
	}
	if earlier := s.current[as]; earlier != nil {
		worker.Incarnation = earlier.Incarnation + 1
	}
	return worker
}

func (s *Stage) enter(worker *Worker) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.workers = append(s.workers, worker)
	s.current[worker.Name] = worker
}

// observerOf shows the statements of one database.
func (s *Stage) observerOf(database string) func([]string, []wire.Statement) {
	names := s.namesOf(database)
	return func(_ []string, statements []wire.Statement) {
		s.seen.statements(database, names, statements)
		if s.observe != nil {
			s.observe(database, statements)
		}
	}
}

// connectWorker opens the worker's listeners for databases and says where they are.
func (s *Stage) connectWorker(
	worker *Worker, values launch.Values, authority *wire.Authority,
) error {
	for _, name := range sortedKeys(s.databases) {
		database := s.databases[name]
		definition, _ := s.system.Databases.Get(name)
		listener, err := wire.Listen(s.context, wire.Config{
			Worker: worker.Name, Incarnation: worker.Incarnation, Database: name,
			Dial: database.Dial, Backends: database.Backends(), Gate: s.gate, Authority: authority,
			Namer: s.namesOf(name), Ignore: definition.Ignore,
			Observe: s.observerOf(name), Terminate: database.Terminate,
			Times: func(bound []wire.BoundTime) { s.seen.times(name, worker.Name, bound) },
		})
		if err != nil {
			return err
		}
		worker.listeners[name] = listener
		s.refuseAtStart(worker.Name, name, listener)
		if s.seen.advancedBy(name) > 0 {
			listener.WatchTimes()
		}
		if err := values.AddDatabase(name, listener.Addr(), database); err != nil {
			return err
		}
	}
	return nil
}

// openChannels opens the worker's listener of each channel that its program is told of.
func (s *Stage) openChannels(
	worker *Worker, program *scenario.Program, values launch.Values,
) error {
	for _, name := range sortedKeys(s.channels) {
		if !program.Refers(name + ".url") {
			continue
		}
		url, closeListener, err := s.channels[name].Listen(worker.Name, worker.Incarnation)
		if err != nil {
			return err
		}
		worker.channels = append(worker.channels, s.channels[name])
		worker.closers = append(worker.closers, closeListener)
		values[name+".url"] = url
	}
	return nil
}
