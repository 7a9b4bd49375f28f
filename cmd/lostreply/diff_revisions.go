package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lostreply/harness/check"
	"lostreply/harness/report"
	"lostreply/harness/result"
	"lostreply/harness/revision"
	"lostreply/harness/scenario"
)

// side is one of the two revisions that are compared.
type side struct {
	revision string // as it was asked for
	commit   string
	folder   string // of its work tree
	evidence map[string][]byte
}

// ofRevisions runs the scenarios, as they stand in the caller's tree, against both revisions: a
// scenario is often newer than the bug that it is for.
func (c *diffCommand) ofRevisions(ctx context.Context) (changes []string, err error) {
	chosen, files, err := c.scenarios()
	if err != nil {
		return nil, err
	}
	repository, err := revision.Of(ctx, filepath.Dir(chosen.scenarios[0].File))
	if err != nil {
		return nil, usageError{err}
	}
	sides := []*side{{revision: c.Old}, {revision: c.New}}
	for _, each := range sides {
		if each.commit, err = repository.Commit(ctx, each.revision); err != nil {
			return nil, usageError{err}
		}
	}
	folder, err := os.MkdirTemp("", "lostreply-diff-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the work trees: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	for i, each := range sides {
		each.folder = filepath.Join(folder, []string{"old", "new"}[i])
		remove, err := repository.CheckOut(ctx, each.commit, each.folder)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, remove(context.WithoutCancel(ctx))) }()
		if err := each.run(ctx, c, repository, files); err != nil {
			return nil, fmt.Errorf("revision %s (%.12s): %w", each.revision, each.commit, err)
		}
	}
	changes, err = report.DiffSets(sides[0].evidence, sides[1].evidence)
	if err != nil {
		return nil, usageError{err}
	}
	c.compared = fmt.Sprintf("%s against %s (%.12s) and %s (%.12s)",
		counted(len(sides[1].evidence), "scenario"), c.Old, sides[0].commit, c.New, sides[1].commit)
	return changes, nil
}

// scenarios chooses what is run and lists its files, system files too. What runs against a variant
// is left out: a variant is an edit of one revision's source.
func (c *diffCommand) scenarios() (selected, []string, error) {
	chosen, err := (&selection{Paths: c.Paths}).load()
	if err != nil {
		return selected{}, nil, err
	}
	all := len(chosen.scenarios)
	var files []string
	seen := map[string]bool{}
	add := func(file string) {
		if !seen[file] {
			files = append(files, file)
		}
		seen[file] = true
	}
	chosen.keep(asItStands)
	for _, each := range chosen.scenarios {
		add(each.Under.File)
		add(each.File)
	}
	if left := all - len(chosen.scenarios); left > 0 {
		fmt.Fprintf(os.Stderr, "left out, as they run against a variant: %d of %d\n", left, all)
	}
	if len(chosen.scenarios) == 0 {
		return selected{}, nil, usageError{errors.New("nothing to run: every scenario runs against a " +
			"variant, which is an edit of one revision")}
	}
	return chosen, files, nil
}

// asItStands tells whether a scenario runs against no variant.
func asItStands(s *scenario.Scenario) bool { return s.Variant.Value == "" }

// run runs the scenarios in the side's work tree, and keeps their evidence.
func (s *side) run(
	ctx context.Context, c *diffCommand, repository revision.Repository, files []string,
) error {
	scenarios, err := s.takeOver(repository, files)
	if err != nil {
		return err
	}
	chosen, err := (&selection{Paths: scenarios}).load()
	if err != nil {
		return err
	}
	chosen.keep(asItStands)
	fmt.Fprintf(os.Stderr, "running %s against %s\n", counted(len(chosen.scenarios), "scenario"),
		s.revision)
	s.evidence = map[string][]byte{}
	var trouble []error
	where := surroundings{Parallel: c.Parallel, Postgres: c.Postgres}
	_, err = where.each(ctx, chosen, nil, func(r result.Result) {
		switch {
		case r.Skipped != "":
			fmt.Fprintf(os.Stderr, "skip %s: %s\n", r.Scenario, r.Skipped)
		case r.Verdict == check.Inconclusive:
			report.NewText(os.Stderr).Result(r)
			trouble = append(trouble, fmt.Errorf("%s is inconclusive: no evidence", r.Scenario))
		default:
			name := filepath.Join(r.System, report.FileName(r.Scenario)+".txt")
			s.evidence[name] = report.Evidence(r)
		}
	})
	return errors.Join(append(trouble, err)...)
}

// takeOver copies scenario and system files into the work tree, and gives the places of the
// scenarios there.
func (s *side) takeOver(repository revision.Repository, files []string) ([]string, error) {
	var scenarios []string
	for _, file := range files {
		relative, err := repository.Relative(file)
		if err != nil {
			return nil, usageError{err}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("take over a scenario: %w", err)
		}
		target := filepath.Join(s.folder, relative)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return nil, fmt.Errorf("take over a scenario: %w", err)
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return nil, fmt.Errorf("take over a scenario: %w", err)
		}
		if filepath.Base(file) != scenario.SystemFile {
			scenarios = append(scenarios, target)
		}
	}
	return scenarios, nil
}
