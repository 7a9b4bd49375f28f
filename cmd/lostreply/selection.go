package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"

	"lostreply/harness/scenario"
)

// defaultFolder holds the scenarios that run when no path is given.
const defaultFolder = "scenarios"

// selection says which scenarios are meant.
type selection struct {
	Paths   []string `arg:"" optional:"" help:"Scenario files, and folders of them. Default: scenarios." type:"path"`
	Match   string   `name:"run" help:"Only scenarios whose name matches this regular expression." placeholder:"REGEX"`
	Tag     []string `help:"Only scenarios with one of these tags." placeholder:"TAG"`
	Shuffle bool     `help:"Run in a random order."`
	Seed    uint64   `help:"Seed of --shuffle. Default: a new one, which is printed."`
	Shard   string   `help:"Only the Ith of N parts, such as 1/3." placeholder:"I/N"`
}

// selected is what a selection came to.
type selected struct {
	scenarios []*scenario.Scenario
	systems   []*scenario.System
	leftOut   []string       // names of opt-in scenarios that were not asked for
	seed      uint64         // of the shuffled order; 0 for that of the files
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
	for _, path := range paths {
		suite, err := scenario.Load(relative(path))
		if err != nil {
			return selected{}, usageError{err}
		}
		named := len(s.Paths) > 0 && allOptIn(suite.Scenarios)
		chosen.systems = append(chosen.systems, suite.Systems...)
		for _, each := range suite.Scenarios {
			if !named && len(s.Tag) == 0 && isOptIn(each) {
				chosen.leftOut = append(chosen.leftOut, each.Name())
				continue
			}
			chosen.scenarios = append(chosen.scenarios, each)
		}
	}
	return chosen, s.narrow(&chosen)
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
	if s.Match != "" {
		pattern, err := regexp.Compile(s.Match)
		if err != nil {
			return usageError{fmt.Errorf("--run is no regular expression: %w", err)}
		}
		chosen.keep(func(each *scenario.Scenario) bool { return pattern.MatchString(each.Name()) })
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
		return usageError{fmt.Errorf("%w selected: a run of nothing is no pass%s",
			scenario.ErrNothingSelected, leftOutNote(chosen.leftOut))}
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
			listed[i] = fmt.Sprintf("%s (%d cells)", id, cells[id])
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
