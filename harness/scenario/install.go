package scenario

import (
	"sort"
	"strings"

	"lostreply/harness/strict"
)

// Install names packages of other languages that programs need, each at one exact version.
type Install struct {
	At  strict.Position         `key:"-"`
	NPM strict.Map[strict.Text] `key:"npm,required" min:"1" doc:"npm packages by name, each at an exact version such as 8.16.3."`
}

// Needs are what must be on the machine for a program to run. Where something is missing, the
// scenarios that use the program are skipped, with the reason.
type Needs struct {
	At       strict.Position `key:"-"`
	Commands []strict.Text   `key:"commands" doc:"Commands that must be in PATH."`
	Python   []strict.Text   `key:"python" doc:"Python modules. ${python} is the interpreter that has them."`
}

// Requirements are all that must be on the machine, or be installed, for programs to run.
type Requirements struct {
	Commands []string
	// Interpreter tells whether a Python interpreter is needed, and Python which modules it must have.
	Interpreter bool
	Python      []string
	// Packages are npm packages with their versions.
	Packages map[string]string
}

// RequirementsOf are those of one program of the system, built as a variant; the program's own
// versions go before the system's, and the variant's before both.
func (s *System) RequirementsOf(program *Program, variant string) Requirements {
	required := Requirements{Packages: map[string]string{}}
	for _, needs := range []*Needs{s.Needs, program.Needs} {
		if needs != nil {
			required.Commands = append(required.Commands, values(needs.Commands)...)
			required.Python = append(required.Python, values(needs.Python)...)
		}
	}
	required.Interpreter = len(required.Python) > 0 || program.names(PythonName)
	build, _ := s.Variants.Get(variant)
	for _, install := range []*Install{s.Install, program.Install, build.Install} {
		if install == nil {
			continue
		}
		for _, entry := range install.NPM.Entries {
			required.Packages[entry.Name] = entry.Value.Value
		}
	}
	return required
}

// ProgramsUsed are the names of the programs that a scenario starts, and of those that set up its
// databases, sorted.
func (s *Scenario) ProgramsUsed() []string {
	used := map[string]bool{}
	for _, database := range s.Under.Databases.Entries {
		for _, program := range database.Value.Setup {
			used[program.Value] = true
		}
	}
	for _, step := range s.Steps {
		switch body := step.Body.(type) {
		case *Run:
			used[body.Program.Value] = true
		case *Start:
			used[body.Program.Value] = true
		}
	}
	names := make([]string, 0, len(used))
	for name := range used {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// names tells whether a program's command or environment refers to ${name}.
func (p *Program) names(name string) bool {
	texts := values(p.Command)
	for _, variable := range p.Env.Entries {
		texts = append(texts, variable.Value.Value)
	}
	return contains(Placeholders(strings.Join(texts, "\n")), name)
}

// installs tells whether a program of the system has anything installed, in some variant.
func (s *System) installs(program *Program) bool {
	some := s.Install != nil || program.Install != nil
	for _, entry := range s.Variants.Entries {
		some = some || entry.Value.Install != nil
	}
	return some
}

func values(texts []strict.Text) []string {
	plain := make([]string, len(texts))
	for i, text := range texts {
		plain[i] = text.Value
	}
	return plain
}
