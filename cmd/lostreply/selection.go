package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// defaultFolder holds the scenarios that run when no path is given.
const defaultFolder = "scenarios"

// selection says which scenarios are meant.
type selection struct {
	Paths   []string `arg:"" optional:"" help:"Scenario files, folders of them, and systems by name. Default: scenarios." type:"path"`
	Match   string   `name:"run" help:"Only scenarios whose name matches this regular expression." placeholder:"REGEX"`
	Tag     []string `help:"Only scenarios with one of these tags." placeholder:"TAG"`
	Shuffle bool     `help:"Run in a random order."`
	Seed    uint64   `help:"Seed of --shuffle. Default: a new one, which is printed."`
	Shard   string   `help:"Only the Ith of N parts, such as 1/3." placeholder:"I/N"`
}

// selected is what a selection came to.
type selected struct {
	scenarios []*scenario.Scenario
	loaded    []*scenario.Scenario // all that the paths hold, before any flag
	whole     []*scenario.System   // those of which the paths hold every scenario
	systems   []*scenario.System
	leftOut   []string       // names of opt-in scenarios that were not asked for
	seed      uint64         // of the shuffled order; 0 for that of the files
	tags      []string       // that the loaded scenarios have, before any flag
	order     map[string]int // of the files, by file and name, whatever --shuffle makes of it
}

// load reads the files and picks the scenarios. That nothing is left is an error: a run of nothing
// must not look like a pass.
func (s selection) load() (selected, error) {
	paths := s.Paths
	if len(paths) == 0 {
		paths = []string{defaultFolder}
	}
	var chosen selected
	var wrong mistakes
	for _, path := range paths {
		path, suite, err := loadPlace(relative(path))
		if err != nil {
			wrong.add(err)
			continue
		}
		named := len(s.Paths) > 0 && allOptIn(suite.Scenarios)
		chosen.addSystems(suite.Systems)
		chosen.addWhole(path, suite.Systems)
		chosen.loaded = append(chosen.loaded, suite.Scenarios...)
		for _, each := range suite.Scenarios {
			if !named && len(s.Tag) == 0 && isOptIn(each) {
				chosen.leftOut = append(chosen.leftOut, each.Name())
				continue
			}
			chosen.scenarios = append(chosen.scenarios, each)
		}
	}
	if err := wrong.err(); err != nil {
		return selected{}, err
	}
	chosen.tags = tagsOf(chosen.loaded)
	return chosen, s.narrow(&chosen)
}

// loadPlace loads a file, a folder or, where there is no such thing or no scenario in it, the
// system that is called so. It tells where that was found.
func loadPlace(path string) (string, *scenario.Suite, error) {
	suite, err := scenario.Load(path)
	_, missing := os.Stat(path)
	nothing := missing != nil || errors.Is(err, scenario.ErrNothingSelected)
	if err == nil || !nothing || filepath.Base(path) != path {
		return path, suite, err
	}
	folder, name, notNamed := placeOf(path)
	if notNamed != nil || name == "" {
		return path, nil, errors.Join(err, notNamed)
	}
	if suite, err = scenario.Load(folder); err != nil {
		return path, nil, err
	}
	suite.Scenarios = slices.DeleteFunc(suite.Scenarios, func(each *scenario.Scenario) bool {
		return each.Under.Name.Value != name // below a system's folder there may be others
	})
	suite.Systems = slices.DeleteFunc(suite.Systems, func(each *scenario.System) bool {
		return each.Name.Value != name
	})
	return folder, suite, nil
}

// addSystems adds those that no path before has brought.
func (c *selected) addSystems(systems []*scenario.System) {
	for _, system := range systems {
		known := func(other *scenario.System) bool { return other.File == system.File }
		if !slices.ContainsFunc(c.systems, known) {
			c.systems = append(c.systems, system)
		}
	}
}

// addWhole adds the systems whose folder is the path's, or lies below it.
func (c *selected) addWhole(path string, systems []*scenario.System) {
	if filepath.Base(path) == scenario.SystemFile {
		path = filepath.Dir(path)
	}
	root, err := filepath.Abs(path)
	for _, system := range systems {
		folder, other := filepath.Abs(system.Folder)
		inside, notBelow := filepath.Rel(root, folder)
		if errors.Join(err, other, notBelow) == nil && filepath.IsLocal(inside) {
			c.whole = append(c.whole, system)
		}
	}
}

// mistakes gathers what is wrong with several paths, so that all of it is told at once.
type mistakes struct {
	paths []error         // that can't be loaded at all
	files strict.Problems // what is wrong in them
}

func (m *mistakes) add(err error) {
	var problems strict.Problems
	if errors.As(err, &problems) {
		m.files = append(m.files, problems...)
		return
	}
	m.paths = append(m.paths, err)
}

func (m *mistakes) err() error {
	if err := errors.Join(append(slices.Clone(m.paths), m.files.Err())...); err != nil {
		return usageError{err}
	}
	return nil
}

func relative(path string) string {
	working, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, inside := strings.CutPrefix(path, working+string(os.PathSeparator)); inside {
		return short
	}
	return path
}

func isOptIn(s *scenario.Scenario) bool { return s.OptIn() != "" }

func allOptIn(scenarios []*scenario.Scenario) bool {
	for _, s := range scenarios {
		if !isOptIn(s) {
			return false
		}
	}
	return true
}

// narrow keeps what the flags ask for, in the order they ask for.
func (s selection) narrow(chosen *selected) error {
	chosen.scenarios = distinct(chosen.scenarios)
	tags := chosen.tags
	if s.Match != "" {
		pattern, err := regexp.Compile(s.Match)
		if err != nil {
			return usageError{fmt.Errorf("--run is no regular expression: %w", err)}
		}
		chosen.keep(func(each *scenario.Scenario) bool { return pattern.MatchString(each.Name()) })
	}
	if err := s.knowsTags(tags); err != nil {
		return err
	}
	if len(s.Tag) > 0 {
		chosen.keep(func(each *scenario.Scenario) bool {
			for _, tag := range s.Tag {
				if each.HasTag(tag) {
					return true
				}
			}
			return false
		})
	}
	if err := s.shard(chosen); err != nil {
		return err
	}
	if len(chosen.scenarios) == 0 {
		return usageError{fmt.Errorf("%w selected: a run of nothing is no pass%s%s",
			scenario.ErrNothingSelected, leftOutNote(chosen.leftOut), s.tagNote(tags))}
	}
	chosen.order = map[string]int{}
	for i, each := range chosen.scenarios {
		chosen.order[each.File+each.Name()] = i
	}
	if s.Shuffle {
		chosen.seed = s.shuffle(chosen.scenarios)
	}
	return nil
}

// knowsTags refuses a tag that no scenario has: one that is misspelt among others would leave out
// what it was to name, and nobody would see it.
func (s selection) knowsTags(tags []string) error {
	for _, tag := range s.Tag {
		if !slices.Contains(tags, tag) && !slices.Contains(scenario.OptInTags(), tag) {
			return usageError{fmt.Errorf("--tag: %s", strict.Unknown("tag", tag, tags))}
		}
	}
	return nil
}

// tagsOf are the tags that scenarios have, sorted.
func tagsOf(scenarios []*scenario.Scenario) []string {
	var tags []string
	for _, each := range scenarios {
		for _, tag := range each.Tags {
			tags = append(tags, tag.Value)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

func distinct(scenarios []*scenario.Scenario) []*scenario.Scenario {
	seen := map[string]bool{}
	var kept []*scenario.Scenario
	for _, each := range scenarios {
		key := each.File + "\x00" + each.Cell
		if !seen[key] {
			kept = append(kept, each)
		}
		seen[key] = true
	}
	return kept
}

func (c *selected) keep(wanted func(*scenario.Scenario) bool) {
	var kept []*scenario.Scenario
	for _, each := range c.scenarios {
		if wanted(each) {
			kept = append(kept, each)
		}
	}
	c.scenarios = kept
}

// shard keeps every Nth scenario, beginning with the Ith.
func (s selection) shard(chosen *selected) error {
	if s.Shard == "" {
		return nil
	}
	i, n, err := part(s.Shard)
	if err != nil {
		return err
	}
	place := -1
	chosen.keep(func(*scenario.Scenario) bool {
		place++
		return place%n == i-1
	})
	return nil
}

// part reads I/N; of nothing it is 0 of 0.
func part(shard string) (i, n int, err error) {
	if shard == "" {
		return 0, 0, nil
	}
	first, of, found := strings.Cut(shard, "/")
	i, errPart := strconv.Atoi(first)
	n, errOf := strconv.Atoi(of)
	if !found || errPart != nil || errOf != nil || i < 1 || n < i {
		return 0, 0, usageError{
			fmt.Errorf("--shard %s: expected I/N with 1 <= I <= N, such as 1/3", shard)}
	}
	return i, n, nil
}

func (s selection) shuffle(scenarios []*scenario.Scenario) uint64 {
	seed := s.Seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	fmt.Fprintf(os.Stderr, "shuffled: repeat with --shuffle --seed %d\n", seed)
	order := rand.New(rand.NewPCG(seed, seed))
	order.Shuffle(len(scenarios), func(i, j int) {
		scenarios[i], scenarios[j] = scenarios[j], scenarios[i]
	})
	return seed
}

// tagNote says which tags there are, when one was asked for.
func (s selection) tagNote(tags []string) string {
	if len(s.Tag) == 0 {
		return ""
	}
	if len(tags) == 0 {
		return "; no scenario has a tag"
	}
	return "; tags: " + strings.Join(tags, ", ")
}

// counted is a number of things in words: "1 scenario", "2 scenarios".
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// byScenario lists names without the cells of a matrix, which are told by their number: a matrix
// that is left out must not fill the screen.
func byScenario(names []string) string {
	var listed []string
	cells := map[string]int{}
	for _, name := range names {
		id, _, _ := strings.Cut(name, "[")
		if cells[id]++; cells[id] == 1 {
			listed = append(listed, id)
		}
	}
	for i, id := range listed {
		if cells[id] > 1 {
			listed[i] = fmt.Sprintf("%s (%s)", id, counted(cells[id], "cell"))
		}
	}
	return strings.Join(listed, ", ")
}

// optIn are the tags whose scenarios run only when their path or tag is named, in words.
func optIn() string { return strings.Join(scenario.OptInTags(), " or ") }

func leftOutNote(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d left out, tagged %s: name their path or --tag)",
		len(names), optIn())
}
