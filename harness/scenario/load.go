package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"lostreply/harness/strict"
)

// SystemFile is the name of the file that describes a folder's system.
const SystemFile = "system.yaml"

// ErrNothingSelected is what loading ends with when the paths hold no scenario.
var ErrNothingSelected = errors.New("no scenario")

// Suite is what was loaded: scenarios in the order of their files, and the systems they are for.
type Suite struct {
	Systems   []*System
	Scenarios []*Scenario
}

// ErrNoSystem is what LoadSystem ends with when there is no system file.
var ErrNoSystem = errors.New("no " + SystemFile)

// LoadSystem reads the system file of a folder, or the file itself. Its mistakes are
// strict.Problems.
func LoadSystem(path string) (*System, error) {
	file := filepath.Clean(path)
	if filepath.Base(file) != SystemFile {
		file = filepath.Join(file, SystemFile)
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("%w in %s", ErrNoSystem, path)
	}
	loader := &loader{systems: map[string]*System{}, suite: &Suite{}}
	system := loader.system(file)
	return system, loader.problems.Err()
}

type loader struct {
	problems  Problems
	systems   map[string]*System // by path; nil for one that could not be read
	suite     *Suite
	positions map[string]strict.Position // of a system's scenario names
	folders   []string                   // that were loaded whole
	under     *System                    // that of every scenario; nil to look for each one's
	read      map[string]bool            // scenario files, by absolute path
}

// Load reads scenario files and folders of them, with their system files. Every mistake in any of
// them is reported at once, as strict.Problems; nothing has been started by then.
func Load(paths ...string) (*Suite, error) {
	loader := &loader{
		systems: map[string]*System{}, suite: &Suite{}, positions: map[string]strict.Position{},
		read: map[string]bool{},
	}
	for _, path := range paths {
		if err := loader.path(filepath.Clean(path)); err != nil {
			return nil, err
		}
	}
	loader.checkFailures()
	loader.checkNamesakes()
	if err := loader.problems.Err(); err != nil {
		return nil, err
	}
	return loader.suite, nil
}

func (l *loader) path(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("no such file or folder: %s%s", path, neighbours(path))
	}
	if filepath.Base(path) == SystemFile {
		path, info = filepath.Dir(path), nil
	} else if !info.IsDir() {
		l.file(path)
		return nil
	}
	files, err := scenarioFiles(path)
	if err != nil {
		return fmt.Errorf("read folder %s: %w", path, err)
	}
	if len(files) == 0 {
		return fmt.Errorf("%w in %s: it holds no *.yaml beside %s", ErrNothingSelected, path, SystemFile)
	}
	l.folders = append(l.folders, path)
	for _, file := range files {
		l.file(file)
	}
	return nil
}

// neighbours names the file that was probably meant.
func neighbours(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if near, ok := strict.Nearest(filepath.Base(path), names); ok {
		return fmt.Sprintf("; did you mean %s?", filepath.Join(filepath.Dir(path), near))
	}
	return ""
}

// scenarioFiles lists the scenario files below a folder, sorted the way a reader counts: T2 before
// T10.
func scenarioFiles(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != folder && holdsNoScenarios(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if isYAML(name) && name != SystemFile {
			files = append(files, path)
		}
		return nil
	})
	sort.SliceStable(files, func(i, j int) bool { return naturalLess(files[i], files[j]) })
	return files, err
}

// holdsNoScenarios tells the folders that are passed over: hidden ones, installed packages, and
// what stands beside a system file.
func holdsNoScenarios(folder string) bool {
	switch folder {
	case "node_modules", defectsFolder, evidenceFolder:
		return true
	default:
		return strings.HasPrefix(folder, ".")
	}
}

func isYAML(name string) bool {
	extension := filepath.Ext(name)
	return extension == ".yaml" || extension == ".yml"
}

func (l *loader) file(path string) {
	l.read[absolute(path)] = true
	source, err := strict.ReadFile(path)
	if err != nil {
		l.problems.Addf(strict.Position{File: path, Line: 1, Column: 1}, "can't be read: %v", err)
		return
	}
	l.text(path, source)
}

// LoadText reads a scenario from text that stands in no file yet, for a system that has been
// loaded: path is where it would stand. Its mistakes are those that Load tells.
func LoadText(path string, text []byte, under *System) (*Scenario, error) {
	loader := &loader{suite: &Suite{}, positions: map[string]strict.Position{}, under: under}
	loader.text(path, text)
	if err := loader.problems.Err(); err != nil {
		return nil, err
	}
	if len(loader.suite.Scenarios) == 0 {
		return nil, fmt.Errorf("%w in the text for %s", ErrNothingSelected, path)
	}
	return loader.suite.Scenarios[0], nil
}

func (l *loader) text(path string, source []byte) {
	document, err := strict.Parse(path, source)
	if err != nil {
		l.parseFailure(path, err)
	}
	if document == nil {
		return
	}
	for _, cell := range cells(document, &l.problems) {
		l.scenario(path, cell, strings.Split(string(source), "\n"))
	}
}

func (l *loader) parseFailure(path string, err error) {
	var problems strict.Problems
	if errors.As(err, &problems) {
		l.problems.Add(problems)
		return
	}
	l.problems.Addf(strict.Position{File: path, Line: 1, Column: 1}, "%v", err)
}

// scenario decodes one scenario, or one cell of its matrix, and checks it against its system.
func (l *loader) scenario(path string, cell cell, source []string) {
	scenario := &Scenario{File: path, Cell: cell.name, Version: versionOf(cell.document.Root())}
	scenario.Source, scenario.Document = source, cell.document.Root()
	before := len(l.problems.list)
	l.problems.Add(strict.Decode(cell.document, scenario))
	whole := len(l.problems.list) == before
	scenario.Under = l.systemOf(path, scenario.System)
	if scenario.Under == nil {
		return
	}
	key := scenario.Under.File + "\x00" + scenario.Name()
	if first, taken := l.positions[key]; taken {
		if first != scenario.ID.At {
			l.problems.Addf(scenario.ID.At, "a second scenario is called %s: the first is at %s",
				scenario.Name(), first)
		}
		return // the same file was named twice
	}
	l.positions[key] = scenario.ID.At
	scenario.validate(&l.problems, whole)
	l.suite.Scenarios = append(append(l.suite.Scenarios, scenario), scenario.twins()...)
}

// systemOf finds the system file of a scenario: in its folder or in one above. It may be a link to
// the file of another folder.
func (l *loader) systemOf(path string, name strict.Text) *System {
	if l.under != nil {
		return l.under
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		l.problems.Addf(name.At, "where is %s? %v", path, err)
		return nil
	}
	var seen []string
	for folder := filepath.Dir(absolute); ; folder = filepath.Dir(folder) {
		file := filepath.Join(folder, SystemFile)
		if _, err := os.Stat(file); err == nil {
			file = itself(file)
			system := l.system(relative(file))
			if system == nil || system.Name.Value == name.Value {
				return system
			}
			seen = append(seen, system.Name.Value)
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	switch {
	case len(seen) > 0 && name.Value == "": // it is missing or unreadable, which has been told
	case len(seen) > 0:
		l.problems.Addf(name.At, "%s", strict.Unknown("system", name.Value, seen))
	default:
		l.problems.Addf(name.At, "no %s in the scenario's folder or in one above", SystemFile)
	}
	return nil
}

// itself is the file that a link stands for: what a system file names is relative to that.
func itself(file string) string {
	if target, err := os.Readlink(file); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		return target
	}
	return file
}

// relative shortens a path to one from the working directory where it lies below it.
func relative(path string) string {
	working, err := os.Getwd()
	if err != nil {
		return path
	}
	short, err := filepath.Rel(working, path)
	if err != nil || strings.HasPrefix(short, "..") {
		return path
	}
	return short
}

func (l *loader) system(file string) *System {
	if system, read := l.systems[file]; read {
		return system
	}
	l.systems[file] = nil
	source, err := strict.ReadFile(file)
	if err != nil {
		l.problems.Addf(strict.Position{File: file, Line: 1, Column: 1}, "can't be read: %v", err)
		return nil
	}
	document, err := strict.Parse(file, source)
	if err != nil {
		l.parseFailure(file, err)
		return nil
	}
	system := &System{File: file, Folder: filepath.Dir(file)}
	if problems := strict.Decode(document, system); len(problems) > 0 {
		l.problems.Add(problems)
		return nil
	}
	system.validate(&l.problems)
	l.systems[file] = system
	l.suite.Systems = append(l.suite.Systems, system)
	return system
}
