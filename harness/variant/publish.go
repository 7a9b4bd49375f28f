package variant

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"lostreply/harness/clock"
)

// keepUnused is how long the cache keeps what nobody used.
const keepUnused = 24 * time.Hour

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

// publish copies a binary out of the stage to where nothing overwrites it: under what it was made
// from, or under its own content when the sources changed meanwhile.
func (b *Builder) publish(binary string, what order, build *pending, started time.Time) error {
	content, err := os.ReadFile(binary)
	if errors.Is(err, fs.ErrNotExist) || bytes.HasPrefix(content, []byte("!<arch>")) {
		return &refusal{output: build.pattern + " is not a program: its package is not main"}
	}
	if err != nil {
		return fmt.Errorf("read the binary: %w", err)
	}
	sum := sha256.Sum256(content)
	name := "content-" + hex.EncodeToString(sum[:16])
	known, ok := b.knownInputs(what.root, build.pattern)
	if print, told := b.fingerprint(what, build.pattern); ok && told && known.quietSince(started) {
		name = print
	}
	if path, there := b.published(name, build.pattern); there {
		build.path = path
		return nil
	}
	folder, err := os.MkdirTemp(b.scratch(), "publish-")
	if err != nil {
		return fmt.Errorf("publish a binary: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := writeProgram(filepath.Join(folder, binaryName(build.pattern)), content); err != nil {
		return fmt.Errorf("publish a binary: %w", err)
	}
	err = os.Rename(folder, filepath.Join(b.cache, "bin", name))
	path, there := b.published(name, build.pattern)
	if !there {
		return fmt.Errorf("publish a binary: %w", err)
	}
	build.path = path // another run may have been first, with the same bytes
	return nil
}

// writeProgram writes a file that is about to be run. While it is open for writing no process may
// be started: the child would hold it open too, for an instant, and running it would fail with
// "text file busy".
func writeProgram(path string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, 0o755)
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

// tidy makes the cache's folders and, once in a Builder's life, removes what nobody used for a day.
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
	oldest := clock.Now().Add(-keepUnused)
	for _, name := range []string{"bin", "stage", "inputs", "scratch"} {
		folder := filepath.Join(cache, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("make the build cache: %w", err)
		}
		removeOlder(folder, oldest)
	}
	b.cache = cache
	return nil
}

// removeOlder does what it can: what it can't remove costs space, and nothing else. A folder whose
// lock another process holds is in use, and lock files stay: removing one would free it for two.
func removeOlder(folder string, oldest time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(oldest) || filepath.Ext(path) == lockExtension {
			continue
		}
		if _, err := os.Stat(path + lockExtension); err != nil {
			_ = os.RemoveAll(path)
			continue
		}
		lock := flock.New(path + lockExtension)
		if free, err := lock.TryLock(); err == nil && free {
			_ = os.RemoveAll(path)
			_ = lock.Unlock()
		}
	}
}
