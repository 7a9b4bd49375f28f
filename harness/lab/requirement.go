package lab

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"lostreply/harness/launch"
	"lostreply/harness/process"
	"lostreply/harness/scenario"
	"lostreply/harness/variant"
)

// Unmet says why a scenario can't be run on this machine: a command, a module or npm is not there.
// It is empty when all is there. Its error is trouble that the machine is not to blame for.
func (l *Lab) Unmet(ctx context.Context, s *scenario.Scenario) (string, error) {
	for _, name := range s.ProgramsUsed() {
		program, _ := s.Under.Programs.Get(name)
		err := l.Offer(ctx, s, &program, launch.Values{})
		var unmet variant.Unmet
		if errors.As(err, &unmet) {
			return fmt.Sprintf("program %s: %s", name, unmet.Reason), nil
		}
		if err != nil {
			return "", fmt.Errorf("provide for program %s: %w", name, err)
		}
	}
	return "", nil
}

// Offer adds what a program is given besides databases and channels: ${install}, the folder that
// its packages are in, and ${python}, the interpreter that has its modules. What is installed is
// installed now, once. Its error is variant.Unmet when the machine lacks something.
func (l *Lab) Offer(
	ctx context.Context, s *scenario.Scenario, program *scenario.Program, values launch.Values,
) error {
	required := s.Under.RequirementsOf(program, l.VariantOf(s))
	if err := variant.NeedCommands(required.Commands); err != nil {
		return err
	}
	if required.Interpreter {
		python, err := l.python(required.Python).get(ctx)
		if err != nil {
			return err
		}
		values[scenario.PythonName] = python
	}
	if len(required.Packages) > 0 {
		folder, err := l.packages(required.Packages).get(ctx)
		if err != nil {
			return err
		}
		values[scenario.InstallName] = folder
	}
	return nil
}

func (l *Lab) python(modules []string) *once[string] {
	return l.provision("python "+strings.Join(modules, " "),
		func(ctx context.Context) (string, error) {
			return variant.FindPython(ctx, process.Environment(nil, nil), modules)
		})
}

func (l *Lab) packages(packages map[string]string) *once[string] {
	list := make([]string, 0, len(packages))
	for name, version := range packages {
		list = append(list, name+"@"+version)
	}
	sort.Strings(list)
	return l.provision("npm "+strings.Join(list, " "), func(ctx context.Context) (string, error) {
		return l.installer.Install(ctx, packages)
	})
}

// provision is what is looked for, or installed, once in the lab's life.
func (l *Lab) provision(name string, find func(context.Context) (string, error)) *once[string] {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.provisions[name] == nil {
		l.provisions[name] = newOnce(find)
	}
	return l.provisions[name]
}

// runnable leaves out the scenarios that will be skipped or are in trouble before they begin: what
// becomes of each is its result's affair.
func (l *Lab) runnable(
	ctx context.Context, scenarios []*scenario.Scenario,
) []*scenario.Scenario {
	var kept []*scenario.Scenario
	for _, s := range scenarios {
		if reason, err := l.Unmet(ctx, s); reason == "" && err == nil {
			kept = append(kept, s)
		}
	}
	return kept
}
