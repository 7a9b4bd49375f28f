package scenario

import (
	"fmt"
	"regexp"
	"sort"

	"lostreply/harness/strict"
)

// placeholder is ${name}: a name, never an expression.
var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

// Placeholders are the names that a text refers to, in order of appearance.
func Placeholders(text string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

// Expand replaces each ${name} of a text by its value. A name without a value is an error; the
// loader has refused it already.
func Expand(text string, values map[string]string) (string, error) {
	var missing error
	expanded := placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := match[2 : len(match)-1]
		value, known := values[name]
		if !known && missing == nil {
			missing = fmt.Errorf("nothing is called ${%s} here", name)
		}
		return value
	})
	return expanded, missing
}

// DatabaseFields are what a program can be told of a database, as ${NAME.FIELD}.
func DatabaseFields() []string {
	return []string{"host", "name", "password", "port", "url", "user"}
}

// The placeholders of a program that are no part of its system: the worker's own name, the folder
// that packages were installed into, the Python interpreter that has the modules needed, and a
// folder that all workers of one run of the scenario share.
const (
	WorkerName  = "worker"
	InstallName = "install"
	PythonName  = "python"
	ScratchName = "scratch"
)

// programNames are the names that a program's command and environment can refer to. Ports are
// open-ended: any ${port.NAME} is a free port of the worker.
func (s *System) programNames(program *Program) []string {
	names := []string{WorkerName, PythonName, ScratchName}
	if s.installs(program) {
		names = append(names, InstallName)
	}
	for _, database := range s.Databases.Names() {
		for _, field := range DatabaseFields() {
			names = append(names, database+"."+field)
		}
	}
	for _, channel := range s.Channels.Names() {
		names = append(names, channel+".url")
	}
	for _, argument := range program.Args.Names() {
		names = append(names, "args."+argument)
	}
	sort.Strings(names)
	return names
}

// Refers tells whether the program's command or environment refers to ${name}.
func (p *Program) Refers(name string) bool {
	for _, word := range p.Command {
		if contains(Placeholders(word.Value), name) {
			return true
		}
	}
	for _, variable := range p.Env.Entries {
		if contains(Placeholders(variable.Value.Value), name) {
			return true
		}
	}
	return false
}

var portName = regexp.MustCompile(`^port\.[A-Za-z][A-Za-z0-9_]*$`)

// checkPlaceholders reports every ${name} of a text that means nothing.
func checkPlaceholders(problems *Problems, at strict.Position, text string, known []string) {
	for _, name := range Placeholders(text) {
		if portName.MatchString(name) {
			continue
		}
		if !contains(known, name) {
			problems.Addf(at, "%s", strict.Unknown("name", name, known))
		}
	}
}

func contains(words []string, word string) bool {
	for _, own := range words {
		if own == word {
			return true
		}
	}
	return false
}
