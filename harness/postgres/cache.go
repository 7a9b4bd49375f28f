package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"lostreply/harness/clock"
)

// partialPrefix begins the name of a folder of the cache that is still being filled. Whoever holds
// the cache's lock may remove all of them: nobody else is filling one.
const partialPrefix = "partial-"

func cacheFolder(cacheDir string) string { return filepath.Join(cacheDir, "postgres") }

func cachedBinaries(cacheDir string, from source) string {
	return filepath.Join(cacheFolder(cacheDir), Version+"-"+from.key)
}

// lockCache waits until no other process fills the cache, and clears what a killed one left.
func lockCache(ctx context.Context, cacheDir string) (unlock func(), err error) {
	folder := cacheFolder(cacheDir)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the cache directory: %w; name another with XDG_CACHE_HOME", err)
	}
	lock := flock.New(filepath.Join(folder, "lock"))
	err = clock.Until(ctx, func(context.Context) (bool, error) { return lock.TryLock() })
	if err != nil {
		return nil, fmt.Errorf("lock the cache %s: %w", folder, err)
	}
	partial, err := filepath.Glob(filepath.Join(folder, partialPrefix+"*"))
	for _, left := range partial {
		if err == nil {
			err = os.RemoveAll(left)
		}
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("clear what an interrupted run left in the cache: %w", err)
	}
	return func() { _ = lock.Unlock() }, nil
}

func fromCache(ctx context.Context, options Options, sources []source) (Binaries, bool) {
	for _, candidate := range sources {
		if candidate.key == "" {
			continue
		}
		binaries, err := probe(ctx, filepath.Join(cachedBinaries(options.CacheDir, candidate), "bin"))
		if err == nil {
			binaries.Source = candidate.name + ", cached"
			binaries.cacheDir, binaries.log = options.CacheDir, options.Log
			options.Log("postgres: " + describe(binaries))
			return binaries, true
		}
	}
	return Binaries{}, false
}

// obtain gets binaries from one source. What is cached is put in place by a rename, when it has
// shown that it runs; the cache's lock is held.
func obtain(ctx context.Context, options Options, from source) (Binaries, error) {
	folder := cacheFolder(options.CacheDir)
	partial, err := os.MkdirTemp(folder, partialPrefix)
	if err != nil {
		return Binaries{}, fmt.Errorf("make a folder in the cache: %w", err)
	}
	dir, err := from.find(ctx, partial)
	if err != nil {
		_ = os.RemoveAll(partial) // the next holder of the lock clears it if this does not
		return Binaries{}, err
	}
	binaries, err := probe(ctx, dir)
	if err == nil && from.key != "" {
		final := cachedBinaries(options.CacheDir, from)
		err = replace(filepath.Dir(dir), final)
		binaries.Dir = filepath.Join(final, "bin")
	}
	if removal := os.RemoveAll(partial); err == nil && removal != nil {
		err = removal
	}
	binaries.Source, binaries.cacheDir, binaries.log = from.name, options.CacheDir, options.Log
	return binaries, err
}

// replace puts a finished folder in the place of whatever unusable thing is there.
func replace(finished, final string) error {
	if err := os.Chmod(finished, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	return os.Rename(finished, final)
}

var versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) ((\d+)[^ \n]*)`)

// probe runs `postgres --version`: other programs of the package can run where postgres does not.
func probe(ctx context.Context, dir string) (Binaries, error) {
	for _, program := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			return Binaries{}, err
		}
	}
	path := filepath.Join(dir, "postgres")
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return Binaries{}, fmt.Errorf("%s --version: %w: %s", path, err, strings.TrimSpace(string(out)))
	}
	match := versionLine.FindStringSubmatch(string(out))
	if match == nil {
		return Binaries{}, fmt.Errorf("%s --version printed %q", path, out)
	}
	major, err := strconv.Atoi(match[2])
	if err != nil || major < OldestMajor {
		return Binaries{}, fmt.Errorf("%s is PostgreSQL %s; %d is the oldest that can be used",
			path, match[1], OldestMajor)
	}
	found := &settled{by: map[string]settlement{}}
	return Binaries{Dir: dir, Version: match[1], Major: major, settled: found}, nil
}
