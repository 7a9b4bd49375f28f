package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

// members are the living processes of the server on a data directory. Each of them, postmaster and
// backends alike, has this directory as its working directory and postgres as its program; their
// process groups differ, as every backend begins a session of its own.
func members(data string) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && isMember(pid, data) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func isMember(pid int, data string) bool {
	process := filepath.Join("/proc", strconv.Itoa(pid))
	cwd, err := os.Readlink(filepath.Join(process, "cwd"))
	if err != nil || strings.TrimSuffix(cwd, " (deleted)") != data {
		return false // gone, a zombie, or somebody else's
	}
	program, err := os.Readlink(filepath.Join(process, "exe"))
	return err == nil && filepath.Base(strings.TrimSuffix(program, " (deleted)")) == "postgres"
}

// killMembers kills every process of the server on a data directory and confirms that none is left.
// Nobody may be starting it. It returns how many it killed.
func killMembers(ctx context.Context, data string) (int, error) {
	killed := map[int]bool{}
	err := clock.Until(ctx, func(context.Context) (bool, error) {
		pids, err := members(data)
		if err != nil {
			return false, err
		}
		for _, pid := range pids {
			killed[pid] = true
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return false, fmt.Errorf("kill process %d of %s: %w", pid, data, err)
			}
		}
		return len(pids) == 0, nil
	})
	for pid := range killed {
		reap(pid)
	}
	return len(killed), err
}

// reap collects a dead process that has become this one's child (see adoptOrphans). One that is
// somebody else's child is theirs to collect.
func reap(pid int) { _, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) }

// adoptOrphans makes the backends of a killed postmaster this process's children: where process 1
// collects nothing (in most containers) they would stay as zombies, and PostgreSQL takes a zombie
// for a living user of its shared memory.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphaned processes: %w", err)
	}
	return nil
}
