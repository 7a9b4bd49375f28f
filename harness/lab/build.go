package lab

import (
	"context"
	"fmt"
	"path"
	"sort"

	"golang.org/x/sync/errgroup"

	"lostreply/harness/scenario"
	"lostreply/harness/variant"
)

// buildKey names one built program: the module's root, the package, the defect, and whether it is
// built without C.
type buildKey struct {
	root, pattern, defects, variant string
	static                          bool
}

// VariantOf is the variant that a scenario runs against; empty for the system as it stands.
func (l *Lab) VariantOf(s *scenario.Scenario) string {
	if l.options.Variant != "" {
		return l.options.Variant
	}
	return s.Variant.Value
}

// Build builds what the scenarios run, each against its own variant, ahead of their runs. That a
// defect does not fit the source, or does not build, is a *variant.EditError or a
// *variant.CompileError.
func (l *Lab) Build(ctx context.Context, scenarios []*scenario.Scenario) error {
	return l.prepareBuilds(ctx, l.runnable(ctx, scenarios))
}

// prepareBuilds builds every Go program of the scenarios' systems, those of one module and variant
// by one call of the toolchain.
func (l *Lab) prepareBuilds(ctx context.Context, scenarios []*scenario.Scenario) error {
	patterns := map[buildKey][]string{}
	for _, s := range scenarios {
		for _, entry := range s.Under.Programs.Entries {
			if entry.Value.Build == nil {
				continue
			}
			key, err := l.buildKey(s, &entry.Value)
			if err != nil {
				return err
			}
			group := key
			group.pattern = ""
			patterns[group] = append(patterns[group], key.pattern)
		}
	}
	groups := make([]buildKey, 0, len(patterns))
	for group := range patterns {
		groups = append(groups, group)
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].variant < groups[j].variant })
	var building errgroup.Group
	for _, group := range groups {
		building.Go(func() error {
			_, err := l.build(ctx, group, unique(patterns[group]))
			return err
		})
	}
	return building.Wait()
}

func unique(patterns []string) []string {
	sort.Strings(patterns)
	var kept []string
	for i, pattern := range patterns {
		if i == 0 || pattern != patterns[i-1] {
			kept = append(kept, pattern)
		}
	}
	return kept
}

func (l *Lab) buildKey(s *scenario.Scenario, program *scenario.Program) (buildKey, error) {
	root, err := variant.ModuleRoot(s.Under.Folder)
	if err != nil {
		return buildKey{}, fmt.Errorf("build %s: %w", program.Build.Go.Value, err)
	}
	key := buildKey{root: root, pattern: program.Build.Go.Value, defects: s.Under.DefectsFolder(),
		static: program.Build.Static}
	if named := l.VariantOf(s); s.Under.IsDefect(named) {
		key.variant = named
	}
	return key, nil
}

// build builds packages of one module. The builder does each once in its lifetime.
func (l *Lab) build(
	ctx context.Context, key buildKey, patterns []string,
) (map[string]string, error) {
	var defect *scenario.Defect
	if key.variant != "" {
		var err error
		if defect, err = variant.LoadDefect(key.defects, key.variant); err != nil {
			return nil, err
		}
	}
	builder := l.builder
	if key.static {
		builder = l.staticBuilder
	}
	return builder.BuildAll(ctx, key.root, patterns, defect)
}

// Executable is the path of what a program's command begins with: the built binary, a path relative
// to the program's folder, or a name that is looked up in PATH.
func (l *Lab) Executable(
	ctx context.Context, s *scenario.Scenario, program *scenario.Program, word string,
) (string, error) {
	if program.Build == nil || word != path.Base(program.Build.Go.Value) {
		return word, nil
	}
	key, err := l.buildKey(s, program)
	if err != nil {
		return "", err
	}
	built, err := l.build(ctx, key, []string{key.pattern})
	if err != nil {
		return "", err
	}
	return built[key.pattern], nil
}
