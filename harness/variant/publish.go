package variant

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"time"

	"lostreply/harness/clock"
)

// The cache keeps what was used lately whatever its size, and nothing that was not used for long.
const (
	keepAlways = 6 * time.Hour // longer than a run takes
	keepUnused = 7 * 24 * time.Hour
	keepBytes  = 1 << 30 // of binaries
)

func (b *Builder) scratch() string { return filepath.Join(b.cache, "scratch") }

func binaryName(pattern string) string {
	if name := programName(pattern); name != "" {
		return name
	}
	return "program"
}

// published is the binary under a name, if it is there.
func (b *Builder) published(name, pattern string) (string, bool) {
	folder := filepath.Join(b.cache, "bin", name)
	path := filepath.Join(folder, binaryName(pattern))
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return "", false
	}
	now := clock.Now()
	if err := os.Chtimes(folder, now, now); err != nil {
		return "", false // it is being tidied away
	}
	return path, true
}

// publish moves a binary to where nothing overwrites it: under what it was made from, or under a
// name that nobody looks for when the sources may have changed meanwhile.
func (b *Builder) publish(binary string, what order, build *pending, started time.Time) error {
	program, err := isProgram(binary)
	if err != nil {
		return err
	}
	if !program {
		return &refusal{output: build.pattern + " is not a program: its package is not main"}
	}
	folder, err := os.MkdirTemp(b.scratch(), "unsettled-")
	if err != nil {
		return fmt.Errorf("publish a binary: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	err = os.Rename(binary, filepath.Join(folder, binaryName(build.pattern)))
	if err != nil {
		return fmt.Errorf("publish a binary: %w", err)
	}
	name := filepath.Base(folder)
	known, ok := b.knownInputs(what.root, build.pattern)
	if print, told := b.fingerprint(what, build.pattern); ok && told && known.quietSince(started) {
		name = print
	}
	err = os.Rename(folder, filepath.Join(b.cache, "bin", name))
	path, there := b.published(name, build.pattern)
	if !there {
		return fmt.Errorf("publish a binary: %w", err)
	}
	build.path = path // another run may have been first, with the same program
	return nil
}

// isProgram tells a program from the archive that the toolchain makes of any other package.
func isProgram(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("look at what was built: %w", err)
	}
	defer func() { _ = file.Close() }()
	magic := make([]byte, len("!<arch>"))
	if _, err := io.ReadFull(file, magic); err != nil {
		return false, fmt.Errorf("look at what was built: %w", err)
	}
	return string(magic) != "!<arch>", nil
}

// writeWhole writes a small file so that a reader sees all of it or nothing.
func (b *Builder) writeWhole(path string, content []byte) error {
	file, err := os.CreateTemp(b.scratch(), "write-")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}

// tidyEach is how long a cache is left as it is after it has been tidied: looking at all of it
// takes longer than everything else that a warm cache is asked.
const tidyEach = time.Hour

// tidy makes the cache's folders and removes what is old from them, where nobody lately has.
func (b *Builder) tidy() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.cache != "" {
		return nil
	}
	cache, err := filepath.Abs(b.CacheDir)
	if err != nil {
		return fmt.Errorf("where is the build cache %s? %w", b.CacheDir, err)
	}
	now := clock.Now()
	tidied := filepath.Join(cache, "tidied")
	info, err := os.Stat(tidied)
	fresh := err == nil && now.Sub(info.ModTime()).Abs() < tidyEach
	for _, name := range []string{"bin", "inputs", "scratch"} {
		folder := filepath.Join(cache, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("make the build cache: %w", err)
		}
		if !fresh {
			removeOld(folder, now)
		}
	}
	if !fresh {
		if err := os.WriteFile(tidied, nil, 0o644); err != nil {
			return fmt.Errorf("mark the build cache as tidied: %w", err)
		}
	}
	b.cache = cache
	return nil
}

// removeOld removes what nobody used for a long time, and of the rest the oldest until it is small
// enough; never what a run may be using. It does what it can: what it can't remove costs space, and
// nothing else.
func removeOld(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	used := make(map[string]time.Time, len(entries))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			used[entry.Name()] = info.ModTime()
		}
	}
	names := sortedKeys(used)
	sort.SliceStable(names, func(i, j int) bool { return used[names[i]].After(used[names[j]]) })
	var total int64
	for _, name := range names {
		path, age := filepath.Join(folder, name), now.Sub(used[name])
		total += size(path)
		if age > keepUnused || age > keepAlways && total > keepBytes {
			_ = os.RemoveAll(path)
		}
	}
}

// size is the bytes of a file, or of those below a folder.
func size(path string) int64 {
	var total int64
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is being removed, or published, by another run
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}
