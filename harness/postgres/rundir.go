package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

const (
	// runRoom is the free space in bytes that a memory file system must have to be used for data:
	// a server takes 30 MB and each database 8.
	runRoom = 1 << 30
	// socketPathLimit is the longest path of a Unix socket, in bytes: sun_path of unix(7), less its
	// final NUL.
	socketPathLimit = 107
	runPrefix       = "run-"
	lockName        = "lock"
	socketName      = ".s.PGSQL.5432"
)

// runDir is the directory of one server, locked while this process lives.
type runDir struct {
	path string
	lock *flock.Flock
}

func (dir runDir) data() string    { return filepath.Join(dir.path, "data") }
func (dir runDir) sockets() string { return filepath.Join(dir.path, "s") }
func (dir runDir) log() string     { return filepath.Join(dir.path, "server.log") }

// runsName keeps the users of one machine apart.
func runsName() string { return fmt.Sprintf("lostreply-%d", os.Geteuid()) }

// RunBase is where the directories of runs are made: in memory where /dev/shm has room, else with
// the temporary files. It is made when it is missing, and is this user's alone to write.
func RunBase() (string, error) {
	var failures []error
	for _, parent := range []string{"/dev/shm", os.TempDir(), "/tmp"} {
		if parent == "/dev/shm" && !memoryWithRoom(parent) {
			continue
		}
		base := filepath.Join(parent, runsName())
		longest := filepath.Join(base, runPrefix+"4294967295", "s", socketName)
		if len(longest) > socketPathLimit {
			failures = append(failures, fmt.Errorf("%s: a socket's path there would have more than"+
				" %d bytes", base, socketPathLimit))
			continue
		}
		err := privateDirectory(base)
		if err == nil {
			return base, nil
		}
		failures = append(failures, err)
	}
	return "", fmt.Errorf("no place for the data of a run: %w; make /dev/shm or /tmp writable",
		errors.Join(failures...))
}

func memoryWithRoom(path string) bool {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return false
	}
	return stat.Type == unix.TMPFS_MAGIC && int64(stat.Bavail)*stat.Bsize >= runRoom
}

// privateDirectory makes a directory, or checks that the one that is there is this user's own: in a
// directory that everyone can write, somebody else may have made it first.
func privateDirectory(path string) error {
	// Others may pass through, not look: an identity that is handed its directories lives below.
	if err := os.Mkdir(path, 0o711); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !known || int(owner.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is there and is not a directory of uid %d alone", path, os.Geteuid())
	}
	return nil
}

// newRunDir makes and locks a directory. The base's own lock keeps it from being swept away before
// its lock is held.
func newRunDir(ctx context.Context, base string) (runDir, error) {
	unlock, err := lockBase(ctx, base)
	if err != nil {
		return runDir{}, err
	}
	defer unlock()
	path, err := os.MkdirTemp(base, runPrefix)
	if err != nil {
		return runDir{}, fmt.Errorf("make a run directory: %w", err)
	}
	dir := runDir{path: path, lock: flock.New(filepath.Join(path, lockName))}
	held, err := dir.lock.TryLock()
	if err == nil && !held {
		err = errors.New("it is locked")
	}
	if err == nil {
		err = errors.Join(os.Chmod(path, 0o711), os.Mkdir(dir.sockets(), 0o700))
	}
	if err != nil {
		return runDir{}, fmt.Errorf("lock the run directory %s: %w", path, err)
	}
	return dir, nil
}

// remove deletes the directory and lets go of its lock, in this order: a lock that is free on a
// directory that is still there means a dead run.
func (dir runDir) remove() error {
	err := errors.Join(removeSharedMemory(dir.data()), os.RemoveAll(dir.path))
	return errors.Join(err, dir.lock.Unlock())
}

func lockBase(ctx context.Context, base string) (unlock func(), err error) {
	lock := flock.New(filepath.Join(base, lockName))
	err = clock.Until(ctx, func(context.Context) (bool, error) { return lock.TryLock() })
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", base, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// SweepStale ends what runs left behind that could not clean up after themselves: it kills the
// servers of directories whose lock nobody holds, and removes these. It returns one line for each.
func SweepStale(ctx context.Context, base string) ([]string, error) {
	unlock, err := lockBase(ctx, base)
	if err != nil {
		return nil, err
	}
	defer unlock()
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil, fmt.Errorf("look for left-over runs: %w", err)
	}
	var swept []string
	for _, entry := range entries {
		path := filepath.Join(base, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), runPrefix):
			line, sweepError := sweepRun(ctx, path)
			if line != "" {
				swept = append(swept, line)
			}
			err = errors.Join(err, sweepError)
		}
	}
	return swept, err
}

func sweepRun(ctx context.Context, path string) (string, error) {
	dir := runDir{path: path, lock: flock.New(filepath.Join(path, lockName))}
	free, err := dir.lock.TryLock()
	if errors.Is(err, os.ErrNotExist) {
		return "", nil // the run has just ended, and took its directory with it
	}
	if err != nil {
		return "", fmt.Errorf("look at the left-over run %s: %w", path, err)
	}
	if !free {
		return "", nil
	}
	killed, err := killMembers(ctx, dir.data(), 0)
	if err == nil {
		err = collect(ctx, slices.Clone(killed))
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("end the left-over server of %s: %w", path, err),
			dir.lock.Unlock())
	}
	if err := dir.remove(); err != nil {
		return "", fmt.Errorf("remove the left-over run %s: %w", path, err)
	}
	return fmt.Sprintf("swept %s (%d processes killed)", path, len(killed)), nil
}
