package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"lostreply/harness/strict"
)

// Variant is another build of a system that is no edit of its source: other versions of what it
// installs. (An edit is a Defect, in a file of its own.)
type Variant struct {
	At      strict.Position `key:"-"`
	Title   string          `key:"title" doc:"One line: what is different, and what comes of it."`
	Install *Install        `key:"install,required" doc:"What is installed in place of the system's own versions."`
	Fails   []Failure       `key:"fails" doc:"Checks that must fail with this variant. Their scenarios run against it too, by the same checks."`
}

// VariantNames are the names of the system's variants: those of the system file, then its defects.
func (s *System) VariantNames() []string {
	return append(s.Variants.Names(), s.defectNames()...)
}

// IsDefect tells whether a variant's name is not one of the system file's own.
func (s *System) IsDefect(variant string) bool {
	_, own := s.Variants.Get(variant)
	return variant != "" && !own
}

// defectNames are the names of the files in the defects folder, sorted; none without a folder.
func (s *System) defectNames() []string {
	entries, err := os.ReadDir(s.DefectsFolder())
	if err != nil {
		return nil // what can't be read is reported when a defect is asked for
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && isYAML(entry.Name()) && entry.Name() != UnfailedFile {
			names = append(names, strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name())))
		}
	}
	sort.Strings(names)
	return names
}

// twins are the scenario's copies for the variants that say which of its checks must fail.
func (s *Scenario) twins() []*Scenario {
	var twins []*Scenario
	for _, entry := range s.Under.Variants.Entries {
		var failing []string
		for _, failure := range entry.Value.Fails {
			if failure.Scenario.Value == s.ID.Value || failure.Scenario.Value == s.Name() {
				failing = append(failing, failure.Check.Value)
			}
		}
		if len(failing) == 0 {
			continue
		}
		twin := *s
		twin.Variant = strict.Text{Value: entry.Name, At: entry.At}
		twin.Failing = failing
		twin.Cell = strings.TrimPrefix(s.Cell+","+entry.Name, ",")
		twins = append(twins, &twin)
	}
	return twins
}

// checkFailures reports scenarios that a variant's fails names and that there are not: a variant
// that nothing runs against would look like one that is caught. Only who loads the system's whole
// folder can tell.
func (l *loader) checkFailures() {
	for _, system := range l.suite.Systems {
		if !slices.ContainsFunc(l.folders, func(folder string) bool {
			relative, err := filepath.Rel(folder, system.Folder)
			return err == nil && filepath.IsLocal(relative)
		}) {
			continue
		}
		l.checkPreFix(system)
		var names []string
		for _, each := range l.suite.Scenarios {
			if each.Under == system && len(each.Failing) == 0 {
				names = append(names, each.ID.Value, each.Name())
			}
		}
		for _, entry := range system.Variants.Entries {
			for _, failure := range entry.Value.Fails {
				if named := failure.Scenario; !contains(names, named.Value) {
					l.problems.Addf(named.At, "%s",
						strict.Unknown("scenario", named.Value, slices.Compact(names)))
				}
			}
		}
	}
}
