package variant

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"

	"lostreply/harness/clock"
	"lostreply/harness/scenario"
)

// Builder builds Go programs, each once in its lifetime (a run). It is safe for concurrent use, and
// any number of Builders, in any number of processes, may share a CacheDir: what Build returns is
// never overwritten.
type Builder struct {
	// CacheDir holds the binaries and what is known of their sources. It is made when missing, and
	// what nobody used lately is removed from it.
	CacheDir string
	// Environment is added to the toolchain's, and decides with it what is built: "CGO_ENABLED=0".
	Environment []string
	// Log gets a line for each build that was not answered from the cache. It may be nil.
	Log io.Writer

	mutex   sync.Mutex
	builds  map[buildKey]*pending
	slots   chan struct{}
	cache   string // CacheDir, absolute; set once it is ready
	listing singleflight.Group
	writing sync.Mutex // of Log
}

type buildKey struct{ root, pattern, defect string }

// pending is a build under way or done; its results are valid once done is closed.
type pending struct {
	buildKey
	done      chan struct{}
	path      string
	err       error
	abandoned bool // its caller went away: whoever still waits starts it anew
}

// order is what one call of the toolchain has to build.
type order struct {
	root    string
	defect  *scenario.Defect
	key     string            // of the defect; empty for the clean build
	overlay map[string][]byte // edited files by their absolute paths
}

// Build builds the program of a package ("./dispatcher/cmd/dispatcher") in the module whose root is
// moduleRoot, with a defect or (nil) as it stands, and returns the path of its binary.
//
// Errors: *EditError when the defect does not fit the source, *CompileError when the toolchain
// refuses, ErrNoToolchain when there is none. All three are harness trouble, never a caught defect.
func (b *Builder) Build(
	ctx context.Context, moduleRoot, pattern string, defect *scenario.Defect,
) (string, error) {
	binaries, err := b.BuildAll(ctx, moduleRoot, []string{pattern}, defect)
	return binaries[pattern], err
}

// BuildAll is Build for several programs of one module at once: one call of the toolchain costs the
// same for one program and for many. The binaries are by pattern.
func (b *Builder) BuildAll(
	ctx context.Context, moduleRoot string, patterns []string, defect *scenario.Defect,
) (map[string]string, error) {
	root, err := filepath.Abs(moduleRoot)
	if err != nil {
		return nil, fmt.Errorf("where is the module %s? %w", moduleRoot, err)
	}
	what := order{root: root, defect: defect, key: defectKey(defect)}
	for {
		all, mine := b.claim(what, patterns)
		if len(mine) > 0 {
			b.fulfil(ctx, what, mine)
		}
		binaries, again, err := collect(ctx, all)
		if !again {
			return binaries, err
		}
	}
}

// claim returns the builds of the patterns, and those among them that the caller is to do.
func (b *Builder) claim(what order, patterns []string) (all, mine []*pending) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.builds == nil {
		b.builds = map[buildKey]*pending{}
		b.slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	for _, pattern := range patterns {
		key := buildKey{what.root, pattern, what.key}
		build, known := b.builds[key]
		if !known {
			build = &pending{buildKey: key, done: make(chan struct{})}
			b.builds[key] = build
			mine = append(mine, build)
		}
		all = append(all, build)
	}
	return all, mine
}

// collect waits for the builds. again is true when another caller gave one of them up.
func collect(ctx context.Context, all []*pending) (
	binaries map[string]string, again bool, err error,
) {
	binaries = make(map[string]string, len(all))
	for _, build := range all {
		select {
		case <-build.done:
		case <-ctx.Done():
			return nil, false, fmt.Errorf("build %s: %w", build.pattern, context.Cause(ctx))
		}
		if build.abandoned && ctx.Err() == nil {
			return nil, true, nil
		}
		if build.err != nil && err == nil {
			err = build.err
		}
		binaries[build.pattern] = build.path
	}
	if err != nil {
		return nil, false, err
	}
	return binaries, false, nil
}

// fulfil does the builds that were claimed and lets go of everyone who waits for them.
func (b *Builder) fulfil(ctx context.Context, what order, mine []*pending) {
	b.make(ctx, what, mine)
	if ctx.Err() != nil {
		b.mutex.Lock()
		for _, build := range mine {
			if build.err != nil {
				build.abandoned = true
				delete(b.builds, build.buildKey)
			}
		}
		b.mutex.Unlock()
	}
	for _, build := range mine {
		close(build.done)
	}
}

func (b *Builder) make(ctx context.Context, what order, mine []*pending) {
	started := clock.Now()
	err := b.prepare(&what)
	var stale []*pending
	for _, build := range mine {
		if err != nil {
			build.err = err
		} else if path, current := b.current(what, build.pattern); current {
			build.path = path
		} else {
			stale = append(stale, build)
		}
	}
	if len(stale) == 0 {
		return
	}
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
		for _, build := range stale {
			build.err = fmt.Errorf("build %s: %w", build.pattern, context.Cause(ctx))
		}
		return
	}
	b.compile(ctx, what, stale, started)
	b.logf("built %s in %s", describe(what, stale), clock.Since(started).Round(1e6))
}

// prepare makes the cache, and the defect's edits.
func (b *Builder) prepare(what *order) error {
	if err := b.tidy(); err != nil {
		return err
	}
	if what.defect == nil {
		return nil
	}
	overlay, err := Apply(what.root, what.defect)
	what.overlay = overlay
	return err
}

func (b *Builder) logf(format string, arguments ...any) {
	if b.Log == nil {
		return
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	// A log that can't be written must not fail a build.
	_, _ = fmt.Fprintf(b.Log, format+"\n", arguments...)
}

func describe(what order, builds []*pending) string {
	var patterns []string
	for _, build := range builds {
		patterns = append(patterns, build.pattern)
	}
	text := strings.Join(patterns, ", ")
	if what.defect != nil {
		text += " with defect " + what.defect.Name.Value
	}
	return text
}

// defectKey tells defects apart by what they change.
func defectKey(defect *scenario.Defect) string {
	if defect == nil {
		return ""
	}
	parts := []string{"defect", defect.Name.Value}
	for _, edit := range defect.Changes() {
		change := replacement(edit)
		kind := "code"
		if edit.Text != nil {
			kind = "text"
		}
		parts = append(parts, edit.Package.Value, edit.Function.Value, kind,
			change.Old.Value, change.New.Value)
	}
	return digest(parts...)
}

// digest is a short name for texts, in order; no two lists of texts share one.
func digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:%s,", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// overlayDigest names the contents of edited files.
func overlayDigest(overlay map[string][]byte) string {
	parts := []string{"overlay"}
	for _, path := range sortedKeys(overlay) {
		parts = append(parts, path, string(overlay[path]))
	}
	return digest(parts...)
}

func sortedKeys[V any](values map[string]V) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
