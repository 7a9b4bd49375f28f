package variant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"lostreply/harness/clock"
)

// Unmet is why a program can't be run on this machine. It says nothing of the program: a scenario
// that meets it is skipped.
type Unmet struct {
	// Reason names what is missing, and what to do about it.
	Reason string
}

// Error is the reason.
func (u Unmet) Error() string { return u.Reason }

// Installer installs packages of other languages, each set of them once. Any number of Installers,
// in any number of processes, may share a CacheDir: what Install returns is never changed again.
type Installer struct {
	// CacheDir holds what was installed. It is made when missing, and what nobody used lately is
	// removed from it.
	CacheDir string
	// Log is told, a line each, of what takes time. It may be nil.
	Log func(line string)
}

// Install returns the folder whose node_modules holds the npm packages, by name and exact version.
// What they depend on in turn is chosen by npm when they are first installed.
//
// Errors: Unmet when there is no npm, or it reaches no registry; else what npm says is wrong.
func (i *Installer) Install(ctx context.Context, packages map[string]string) (string, error) {
	cache, err := filepath.Abs(i.CacheDir)
	if err != nil {
		return "", fmt.Errorf("where is the cache %s? %w", i.CacheDir, err)
	}
	key := installKey(packages)
	folder := filepath.Join(cache, "npm", key)
	if isInstalled(folder) {
		return folder, nil
	}
	for _, name := range []string{"npm", "locks", "scratch"} {
		if err := os.MkdirAll(filepath.Join(cache, name), 0o755); err != nil {
			return "", fmt.Errorf("make the cache of packages: %w", err)
		}
	}
	// Locks stay: to remove one that somebody waits for would let two in.
	removeOld(filepath.Join(cache, "npm"), clock.Now())
	removeOld(filepath.Join(cache, "scratch"), clock.Now())
	lock := flock.New(filepath.Join(cache, "locks", key))
	err = clock.Until(ctx, func(context.Context) (bool, error) { return lock.TryLock() })
	if err != nil {
		return "", fmt.Errorf("lock the cache of packages: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	if isInstalled(folder) { // by whoever held the lock
		return folder, nil
	}
	return folder, i.fill(ctx, filepath.Join(cache, "scratch"), folder, packages)
}

// fill installs into a folder of its own and puts it in place by one rename.
func (i *Installer) fill(
	ctx context.Context, scratch, folder string, packages map[string]string,
) (err error) {
	started := clock.Now()
	partial, err := os.MkdirTemp(scratch, "npm-")
	if err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(partial)) }()
	wanted, err := json.MarshalIndent(map[string]any{
		"name": "installed", "private": true, "dependencies": packages,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	if err := os.WriteFile(filepath.Join(partial, "package.json"), wanted, 0o644); err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	if err := npmInstall(ctx, partial, packages); err != nil {
		return err
	}
	if err := os.Chmod(partial, 0o755); err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	if err := os.Rename(partial, folder); err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	if i.Log != nil {
		i.Log(fmt.Sprintf("installed %s in %s", packageList(packages), clock.Since(started).Round(1e6)))
	}
	return nil
}

// isInstalled tells whether a folder is there, and marks it as used.
func isInstalled(folder string) bool {
	now := clock.Now()
	return os.Chtimes(folder, now, now) == nil
}

// installKey names a set of packages.
func installKey(packages map[string]string) string {
	parts := []string{"npm"}
	for _, name := range sortedKeys(packages) {
		parts = append(parts, name, packages[name])
	}
	return digest(parts...)
}
