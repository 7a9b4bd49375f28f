package scenario

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"lostreply/harness/event"
	"lostreply/harness/strict"
)

// QueryEvent is the name of the events that a channel's queries are.
func QueryEvent(channel string) string { return channel + ".query" }

// EventNames are the events that a hold can name.
func (s *System) EventNames() []string {
	names := []string{event.CommitName, event.ExitName}
	for _, channel := range s.Channels.Entries {
		names = append(names, channel.Name)
		if channel.Value.Query != nil {
			names = append(names, QueryEvent(channel.Name))
		}
	}
	return append(names, s.Events.Names()...)
}

// OnlyDatabase is the name of the database that is meant when none is named, or empty.
func (s *System) OnlyDatabase() string {
	if names := s.Databases.Names(); len(names) == 1 {
		return names[0]
	}
	return ""
}

// DatabaseOf is the database that a step means.
func (s *System) DatabaseOf(named strict.Text) string {
	if named.Value != "" {
		return named.Value
	}
	return s.OnlyDatabase()
}

// Path turns a path of the system file into one that can be opened.
func (s *System) Path(relative string) string {
	if filepath.IsAbs(relative) {
		return relative
	}
	return filepath.Join(s.Folder, relative)
}

// DefectsFolder is where the system's defects are.
func (s *System) DefectsFolder() string {
	if s.Defects != "" {
		return s.Path(s.Defects)
	}
	return s.Path(defectsFolder)
}

// EvidenceFolder is where the system's evidence is kept.
func (s *System) EvidenceFolder() string {
	if s.Evidence != "" {
		return s.Path(s.Evidence)
	}
	return s.Path(evidenceFolder)
}

// The folders beside a system file that hold no scenarios.
const (
	defectsFolder  = "defects"
	evidenceFolder = "evidence"
)

// validate reports what is wrong with a system file beyond its form.
func (s *System) validate(problems *Problems) {
	if len(s.Programs.Names()) == 0 {
		problems.Addf(s.At, "the system has no program")
	}
	for _, entry := range s.Databases.Entries {
		s.validateDatabase(problems, entry)
	}
	for _, entry := range s.Channels.Entries {
		problems.Add(CheckContract(entry.Value))
	}
	for _, entry := range s.Programs.Entries {
		s.validateProgram(problems, entry)
	}
	for _, entry := range s.Events.Entries {
		s.validateEvent(problems, entry)
	}
	for _, entry := range s.Facts.Entries {
		s.checkDatabase(problems, entry.Value.At, entry.Value.Database)
	}
	s.validateBuilds(problems)
	s.validatePreFix(problems)
	if s.Recover != nil {
		s.validateRecover(problems)
	}
}

func (s *System) validateDatabase(problems *Problems, entry strict.Entry[Database]) {
	database := entry.Value
	if path := database.Schema.Value; path != "" {
		if info, err := os.Stat(s.Path(path)); err != nil || info.IsDir() {
			problems.Addf(database.Schema.At, "schema of database %s: no file %s (relative to %s)",
				entry.Name, path, s.Folder)
		}
	}
	for _, program := range database.Setup {
		s.checkProgram(problems, program)
	}
}

func (s *System) validateProgram(problems *Problems, entry strict.Entry[Program]) {
	program := entry.Value
	if len(program.Command) == 0 {
		problems.Addf(program.At, "program %s: command is empty", entry.Name)
	}
	if program.Build != nil && len(program.Command) > 0 {
		if built := path.Base(program.Build.Go.Value); program.Command[0].Value != built {
			problems.Addf(program.Command[0].At, "the command begins with the program that is built: "+
				"expected %s, got %s", built, program.Command[0].Value)
		}
	}
	known := s.programNames(&program)
	for _, word := range program.Command {
		checkPlaceholders(problems, word.At, word.Value, known)
	}
	for _, variable := range program.Env.Entries {
		checkPlaceholders(problems, variable.Value.At, variable.Value.Value, known)
		if strings.HasPrefix(variable.Name, "LOSTREPLY_") {
			problems.Addf(variable.At, "names that begin with LOSTREPLY_ are the harness's own")
		}
	}
	for _, argument := range program.Args.Entries {
		if value := argument.Value.Default; value != nil {
			if _, err := argument.Value.text(*value); err != nil {
				problems.Addf(argument.At, "default of argument %s: %v", argument.Name, err)
			}
		}
	}
	if program.Databases != nil {
		for _, database := range *program.Databases {
			s.checkDatabase(problems, database.At, database)
		}
	}
	if program.Ready != nil {
		s.validateReady(problems, program.Ready, known)
	}
}

func (s *System) validateReady(problems *Problems, ready *Ready, known []string) {
	given := 0
	for _, text := range []string{ready.Line, ready.Event, ready.HTTP.Value} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		problems.Addf(ready.At, "ready takes exactly one of line, event and http")
	}
	if ready.Event != "" && !contains(s.EventNames(), ready.Event) {
		problems.Addf(ready.At, "%s", strict.Unknown("event", ready.Event, s.EventNames()))
	}
	checkPlaceholders(problems, ready.HTTP.At, ready.HTTP.Value, known)
}

func (s *System) validateEvent(problems *Problems, entry strict.Entry[NamedEvent]) {
	named := entry.Value
	s.checkDatabase(problems, named.At, named.Database)
	if named.Contains == "" && named.Label == "" && named.Command == "" &&
		len(named.Params.Names()) == 0 {
		problems.Addf(named.At,
			"event %s matches everything: give contains, label, command or params", entry.Name)
	}
	named.checkStatement(problems, entry.Name)
	for _, parameter := range named.Params.Entries {
		number, err := strconv.Atoi(parameter.Name)
		if err != nil || number < 1 {
			problems.Addf(parameter.At, "a parameter is given by its number, from 1; got %q",
				parameter.Name)
		}
		switch parameter.Value.Data.(type) {
		case string, int64:
		default:
			problems.Addf(parameter.Value.At, "a parameter is matched as text, integer or uuid; got %s",
				parameter.Value)
		}
	}
	if entry.Name == event.CommitName || entry.Name == event.ExitName {
		problems.Addf(entry.At, "%s is built in; choose another name", entry.Name)
	}
	if contains(s.Channels.Names(), entry.Name) {
		problems.Addf(entry.At, "%s is a channel, and so an event already", entry.Name)
	}
}

func (s *System) checkProgram(problems *Problems, name strict.Text) (*Program, bool) {
	program, known := s.Programs.Get(name.Value)
	if !known {
		problems.Addf(name.At, "%s", strict.Unknown("program", name.Value, s.Programs.Names()))
	}
	return &program, known
}

func (s *System) checkDatabase(problems *Problems, at strict.Position, name strict.Text) {
	names := s.Databases.Names()
	switch {
	case name.Value == "" && len(names) == 0:
		problems.Addf(at, "system %s has no database", s.Name.Value)
	case name.Value == "" && len(names) > 1:
		problems.Addf(at, "which database? name one of: %s", strings.Join(names, ", "))
	case name.Value != "" && !contains(names, name.Value):
		problems.Addf(name.At, "%s", strict.Unknown("database", name.Value, names))
	}
}
