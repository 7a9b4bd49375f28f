package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"lostreply/harness/matrix"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
	"lostreply/harness/variant"
)

// variantsPlan is what the matrix runs.
type variantsPlan struct {
	variants []matrix.Variant
	runs     [][]matrix.Run // by variant
	clean    []matrix.Run   // against the system as it stands
	controls []matrix.Run   // negative controls against the same: what fails there has teeth
	lists    map[string][]scenario.Excuse
	// complete says that nothing of the systems is left out, so that each of their checks must have
	// been seen failing or be excused.
	complete bool
}

// plan loads everything and makes sure that it fits together, before anything runs.
func (c *variantsCommand) plan() (*variantsPlan, error) {
	chosen, named, err := c.load()
	if err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile(c.Match)
	if err != nil {
		return nil, usageError{fmt.Errorf("--run is no regular expression: %w", err)}
	}
	plan := &variantsPlan{
		lists: map[string][]scenario.Excuse{}, complete: c.Match == "" && len(named) == 0,
	}
	var problems strict.Problems
	var misfits []error
	for _, system := range chosen.systems {
		variants, defects, err := variantsOf(system)
		if err != nil {
			return nil, usageError{err}
		}
		if plan.lists[system.Name.Value], err = scenario.LoadUnfailed(system); err != nil {
			return nil, usageError{err}
		}
		for _, each := range variants {
			problems = append(problems, each.Missing(chosen.scenarios)...)
			each = onlyOf(each, named)
			if len(each.Fails) == 0 || !pattern.MatchString(each.Label()) {
				continue
			}
			plan.variants = append(plan.variants, each)
			if defect := defects[each.Name]; defect != nil {
				misfits = append(misfits, variant.Fit(system, defect))
			}
		}
	}
	if err := errors.Join(problems.Err(), errors.Join(misfits...)); err != nil {
		return nil, usageError{err}
	}
	if len(plan.variants) == 0 {
		return nil, usageError{fmt.Errorf("no variant selected: a matrix of nothing is no pass")}
	}
	plan.fill(inFiles(chosen.scenarios, named), c.Full)
	return plan, nil
}

// fill says what is run. The system as it stands is run for each scenario that judges a variant,
// and for all others too when each check must be accounted for.
func (p *variantsPlan) fill(all []*scenario.Scenario, full bool) {
	needed := map[string]bool{}
	for _, each := range p.variants {
		runs := each.Runs(all, full)
		p.runs = append(p.runs, runs)
		for _, one := range runs {
			needed[one.Scenario.File+one.Scenario.Name()] = true
		}
	}
	for _, s := range all {
		switch {
		case len(s.Failing) > 0, !needed[s.File+s.Name()] && (!p.complete || isOptIn(s)):
		case s.Variant.Value == "":
			p.clean = append(p.clean, matrix.Run{Scenario: s})
		case p.complete:
			control := *s
			control.Variant = strict.Text{}
			p.controls = append(p.controls, matrix.Run{Scenario: &control})
		}
	}
}

// inFiles keeps the scenarios of the named files; all of them when none are.
func inFiles(all []*scenario.Scenario, named map[string]bool) []*scenario.Scenario {
	if len(named) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *scenario.Scenario) bool {
		return !named[s.File]
	})
}

// load gives the scenarios of all systems that are meant, and, when single files of them are, which
// files.
func (c *variantsCommand) load() (selected, map[string]bool, error) {
	targets := c.Targets
	if len(targets) == 0 {
		targets = []string{defaultFolder}
	}
	named := map[string]bool{}
	var folders []string
	for _, target := range targets {
		path, system, err := placeOf(target)
		if err != nil {
			return selected{}, nil, err
		}
		suite, err := scenario.Load(path)
		if err != nil {
			return selected{}, nil, usageError{err}
		}
		info, err := os.Stat(path)
		single := err == nil && !info.IsDir() && filepath.Base(path) != scenario.SystemFile
		for _, s := range suite.Scenarios {
			if single {
				named[s.File] = true
			}
			if system != "" && s.Under.Name.Value != system {
				continue // below a system's folder there may be others
			}
			if !isOptIn(s) || len(c.Targets) > 0 && (single || allOptIn(suite.Scenarios)) {
				folders = append(folders, s.Under.Folder)
			}
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	suite, err := scenario.Load(folders...)
	if err != nil {
		return selected{}, nil, usageError{err}
	}
	return only(suite, folders), named, nil
}

// only keeps the systems of these folders: below a system's folder there may be others.
func only(suite *scenario.Suite, folders []string) selected {
	var chosen selected
	for _, system := range suite.Systems {
		if slices.Contains(folders, system.Folder) && !slices.Contains(chosen.systems, system) {
			chosen.systems = append(chosen.systems, system)
		}
	}
	for _, s := range distinct(suite.Scenarios) {
		if slices.Contains(folders, s.Under.Folder) {
			chosen.scenarios = append(chosen.scenarios, s)
		}
	}
	return chosen
}

// placeOf is what a target names: the folder of the system that is called so, with its name, or
// else a path. A name goes first, as the folder with a system's source is often called like it.
func placeOf(target string) (path, name string, err error) {
	_, missing := os.Stat(target)
	if missing == nil && filepath.Base(target) != target {
		return relative(target), "", nil
	}
	suite, err := scenario.Load(defaultFolder)
	if err != nil && missing == nil {
		return target, "", nil
	}
	if err != nil {
		return "", "", usageError{
			fmt.Errorf("%s: no such file or folder, and no system: %w", target, err)}
	}
	var names []string
	for _, system := range suite.Systems {
		if system.Name.Value == target {
			return system.Folder, target, nil
		}
		names = append(names, system.Name.Value)
	}
	if missing == nil {
		return target, "", nil
	}
	return "", "", usageError{fmt.Errorf("%s: no such file or folder; %s", target,
		strict.Unknown("system", target, names))}
}

// variantsOf are a system's defects, by name too, and those of its other variants that say what
// must fail.
func variantsOf(
	system *scenario.System,
) (all []matrix.Variant, byName map[string]*scenario.Defect, err error) {
	for _, entry := range system.Variants.Entries {
		if len(entry.Value.Fails) > 0 {
			all = append(all, matrix.Variant{System: system, Name: entry.Name,
				Title: entry.Value.Title, Fails: entry.Value.Fails})
		}
	}
	if len(system.VariantNames()) == system.Variants.Len() {
		return all, nil, nil // it has no defects
	}
	defects, err := variant.LoadDefects(system.DefectsFolder())
	if err != nil {
		return nil, nil, err
	}
	byName = map[string]*scenario.Defect{}
	for _, defect := range defects {
		if defect.System.Value != system.Name.Value {
			return nil, nil, fmt.Errorf("%s: a defect of %s in the folder of %s", defect.System.At,
				defect.System.Value, system.Name.Value)
		}
		byName[defect.Name.Value] = defect
		all = append(all, matrix.Variant{System: system, Name: defect.Name.Value,
			Title: defect.Title, Fails: defect.Fails, Also: defect.Also})
	}
	return all, byName, nil
}

// onlyOf keeps what a variant says of the named files; all of it when none are.
func onlyOf(v matrix.Variant, named map[string]bool) matrix.Variant {
	if len(named) == 0 {
		return v
	}
	ids := map[string]bool{}
	for file := range named {
		suite, err := scenario.Load(file)
		if err != nil {
			continue // it has been loaded before, without a mistake
		}
		for _, s := range suite.Scenarios {
			if s.Under.File == v.System.File {
				ids[s.ID.Value], ids[s.Name()] = true, true
			}
		}
	}
	var kept []scenario.Failure
	for _, f := range v.Fails {
		if ids[f.Scenario.Value] {
			kept = append(kept, f)
		}
	}
	v.Fails = kept
	return v
}
