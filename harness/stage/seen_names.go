package stage

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/wire"
)

// shapeParts are what two sendings of one statement may differ in: values that a driver writes into
// it, the numbers of parameters, how many there are in a list, comments and layout.
var shapeParts = []struct {
	part    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?s)/\*.*?\*/|--[^\n]*`), " "},
	{regexp.MustCompile(`(?i)\b[ebxn]?'(?:[^'\\]|''|\\.)*'`), "?"},
	{regexp.MustCompile(`'(?:[^']|'')*'`), "?"},
	{regexp.MustCompile(`\$\d+|\b\d+(?:\.\d+)?\b`), "?"},
	{regexp.MustCompile(`\s+`), " "},
	{regexp.MustCompile(`\?(?:\s*,\s*\?)+`), "?"},
	{regexp.MustCompile(`\(\?\)(?:\s*,\s*\(\?\))+`), "(?)"},
}

// shape is a statement without what differs from one sending to the next.
func shape(text string) string {
	for _, each := range shapeParts {
		text = each.part.ReplaceAllString(text, each.instead)
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ";")
}

// lookAtNames keeps, for each named event, the statements that it was.
func (s *seen) lookAtNames(names wire.Names, statement wire.Statement) {
	matches := names.Matches(statement)
	switch statement.Command {
	case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET":
		return // these have options, and mean one thing
	}
	if len(matches) == 0 {
		return
	}
	form := shape(statement.Text)
	for _, match := range matches {
		if !slices.Contains(s.named[match.Name], form) {
			s.named[match.Name] = append(s.named[match.Name], form)
		}
	}
}

// nameNotes tell the events that the scenario names, and whose name two different statements
// answered to: which of them the nth is, nobody can say.
func (s *seen) nameNotes(uses func(event string) bool) []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(s.named)) {
		forms := slices.Sorted(slices.Values(s.named[name]))
		if len(forms) < 2 || !uses(name) {
			continue
		}
		for i, form := range forms {
			forms[i] = fmt.Sprintf("%q", check.Shorten(form))
		}
		notes = append(notes, fmt.Sprintf("event %s is %d different statements: %s; name them apart",
			name, len(forms), strings.Join(forms, " and ")))
	}
	return notes
}
