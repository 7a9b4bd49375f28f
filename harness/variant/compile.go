package variant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// compile builds in a folder of its own, so that no two builds meet, and publishes what it made.
func (b *Builder) compile(ctx context.Context, what order, builds []*pending, started time.Time) {
	err := b.compileTogether(ctx, what, builds, started)
	var refused *refusal
	for _, build := range builds {
		build.err = err
		if errors.As(err, &refused) && len(builds) > 1 { // whose mistake is it?
			build.err = b.compileTogether(ctx, what, []*pending{build}, started)
		}
		b.explain(what, build)
	}
}

func (b *Builder) explain(what order, build *pending) {
	if build.err == nil {
		return
	}
	var refused *refusal
	if !errors.As(build.err, &refused) {
		build.err = fmt.Errorf("build %s: %w", build.pattern, build.err)
		return
	}
	failure := &CompileError{Package: build.pattern, Output: originalNames(what, refused.output)}
	if what.defect != nil {
		failure.Defect = what.defect.Name.Value
	}
	build.err = failure
}

// originalNames puts the sources' own names where the toolchain names the edited copies.
func originalNames(what order, output string) string {
	for i, path := range sortedKeys(what.overlay) {
		if short, err := filepath.Rel(what.root, path); err == nil {
			path = short
		}
		copied := regexp.MustCompile(`\S*` + regexp.QuoteMeta(editedName(i)) + `\b`)
		output = copied.ReplaceAllLiteralString(output, path)
	}
	return output
}

func editedName(i int) string { return "edited-" + strconv.Itoa(i) + ".go" }

func (b *Builder) compileTogether(
	ctx context.Context, what order, builds []*pending, started time.Time,
) error {
	folder, err := os.MkdirTemp(b.scratch(), "build-")
	if err != nil {
		return fmt.Errorf("make the build's folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	flags := []string{"build", "-buildvcs=false"}
	if what.overlay != nil {
		overlay, err := writeOverlay(folder, what.overlay)
		if err != nil {
			return err
		}
		// A defect's binary is thrown away soon: the debugger's tables are not worth their time.
		flags = append(flags, "-ldflags=-w", "-overlay="+overlay)
	}
	all := groups(folder, builds)
	work, inner := errgroup.WithContext(ctx)
	work.Go(func() error {
		for _, group := range all {
			arguments := slices.Concat(flags, []string{"-o", group.target}, group.patterns)
			if _, err := b.goCommand(inner, what.root, arguments...); err != nil {
				return err
			}
		}
		return nil
	})
	work.Go(func() error { return b.learnInputs(inner, what.root, builds) })
	if err := work.Wait(); err != nil {
		return err
	}
	for _, group := range all {
		for _, build := range group.builds {
			if err := b.publish(group.binary(build.pattern), what, build, started); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeOverlay writes the edited files and the list of them that the toolchain reads.
func writeOverlay(folder string, overlay map[string][]byte) (string, error) {
	list := struct{ Replace map[string]string }{Replace: map[string]string{}}
	for i, path := range sortedKeys(overlay) {
		edited := filepath.Join(folder, editedName(i))
		if err := os.WriteFile(edited, overlay[path], 0o644); err != nil {
			return "", fmt.Errorf("write an edited file: %w", err)
		}
		list.Replace[path] = edited
	}
	content, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, content, 0o644); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return file, nil
}

// group is what one call of the toolchain builds: programs whose names differ.
type group struct {
	target   string // a folder, with a slash at its end; or the file itself
	patterns []string
	builds   []*pending
}

func (g group) binary(pattern string) string {
	if name := programName(pattern); name != "" {
		return g.target + name
	}
	return g.target
}

// groups sorts builds into as few calls as their names allow.
func groups(folder string, builds []*pending) []*group {
	var all []*group
	seen := map[string]int{}
	for _, build := range builds {
		name := programName(build.pattern)
		if name == "" {
			all = append(all, &group{
				target:   filepath.Join(folder, "alone-"+digest(build.pattern)),
				patterns: []string{build.pattern}, builds: []*pending{build},
			})
			continue
		}
		target := filepath.Join(folder, "programs-"+strconv.Itoa(seen[name])) + "/"
		seen[name]++
		all = addToGroup(all, target, build)
	}
	return all
}

func addToGroup(all []*group, target string, build *pending) []*group {
	for _, known := range all {
		if known.target == target {
			known.patterns = append(known.patterns, build.pattern)
			known.builds = append(known.builds, build)
			return all
		}
	}
	return append(all, &group{
		target: target, patterns: []string{build.pattern}, builds: []*pending{build},
	})
}

// programName is the name that the toolchain gives to the program of a package; empty when the
// pattern alone does not say it (".", ".../v2").
func programName(pattern string) string {
	name := filepath.Base(pattern)
	if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`).MatchString(name) ||
		regexp.MustCompile(`^v[0-9]+$`).MatchString(name) {
		return ""
	}
	return name
}
