package scenario

import (
	"os"
	"path/filepath"
	"regexp"

	"lostreply/harness/strict"
)

// calls finds what a scenario file says it is called, without reading the rest of it.
var calls = regexp.MustCompile(`(?m)^scenario:[ \t]*["']?([^"'\s#]+)`)

// checkNamesakes looks at the files of the systems that were not loaded: a scenario that bears the
// name of one of them (a copy that was not renamed) would take its evidence for its own.
func (l *loader) checkNamesakes() {
	others := map[string]map[string]string{} // by system file and name
	for _, scenario := range l.suite.Scenarios {
		system := scenario.Under.File
		if others[system] == nil {
			others[system] = namesBelow(filepath.Dir(system), l.read)
		}
		name := scenario.ID.Value
		if other, taken := others[system][name]; taken {
			l.problems.Addf(scenario.ID.At, "a second scenario is called %s: another is in %s", name, other)
			delete(others[system], name) // once, not for each cell of a matrix
		}
	}
}

// namesBelow is the file of each name in the scenario files of a system, but for those that are
// loaded: the loader itself tells of those. What can't be read is nobody's namesake.
func namesBelow(folder string, loaded map[string]bool) map[string]string {
	names := map[string]string{}
	files, err := scenarioFiles(folder)
	if err != nil {
		return names
	}
	for _, file := range files {
		if loaded[absolute(file)] || belongsElsewhere(folder, file) {
			continue
		}
		source, err := strict.ReadFile(file)
		if err != nil {
			continue
		}
		if match := calls.FindSubmatch(source); match != nil {
			names[string(match[1])] = file
		}
	}
	return names
}

// belongsElsewhere tells whether a folder between a system's and a file's has a system of its own.
func belongsElsewhere(folder, file string) bool {
	for at := filepath.Dir(file); at != folder && len(at) > len(folder); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, SystemFile)); err == nil {
			return true
		}
	}
	return false
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
