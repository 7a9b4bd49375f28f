package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lostreply/harness/postgres"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
	"lostreply/harness/variant"
)

// against makes the selection one against the variant that --variant names. Each system must have
// it. The twins that other variants bring with them are left out: what is asked for is one build,
// judged by the checks as they stand.
func (s *surroundings) against(chosen *selected) error {
	if err := errors.Join(validParallel(s.Parallel), validServer(s.Postgres)); err != nil {
		return err
	}
	if s.Variant == "" {
		return nil
	}
	known := map[*scenario.System]bool{}
	for _, each := range chosen.scenarios {
		if known[each.Under] {
			continue
		}
		known[each.Under] = true
		names := each.Under.VariantNames()
		if slices.Contains(names, s.Variant) {
			if err := fit(each.Under, s.Variant); err != nil {
				return err
			}
			continue
		}
		valid := "it has none"
		if len(names) > 0 {
			valid = "it has " + strings.Join(names, ", ")
		}
		if near, ok := strict.Nearest(s.Variant, names); ok {
			valid = fmt.Sprintf("did you mean %s? %s", near, valid)
		}
		return usageError{fmt.Errorf("system %s has no variant %s: %s",
			each.Under.Name.Value, s.Variant, valid)}
	}
	chosen.keep(func(each *scenario.Scenario) bool { return len(each.Failing) == 0 })
	return nil
}

// validServer refuses what can't name a server, and a way of running PostgreSQL as root that there
// is not: both are mistakes of the caller, told before anything runs.
func validServer(url string) error {
	if url != "" {
		if err := postgres.CheckURL(url); err != nil {
			return usageError{fmt.Errorf("--postgres: %w", err)}
		}
	}
	if err := postgres.CheckRoot(); err != nil {
		return usageError{err}
	}
	return nil
}

// fit makes sure that a variant which is a defect can be made of the source as it stands.
func fit(system *scenario.System, name string) error {
	if !system.IsDefect(name) {
		return nil
	}
	defect, err := variant.LoadDefect(system.DefectsFolder(), name)
	if err == nil {
		err = variant.Fit(system, defect)
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

func validParallel(parallel int) error {
	if parallel < 0 {
		return usageError{fmt.Errorf("--parallel %d: expected 1 or more", parallel)}
	}
	return nil
}
