package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

// members are the living processes of the server on a data directory. Each of them, postmaster and
// backends alike, has this directory as its working directory and postgres as its program; their
// process groups differ, as every backend begins a session of its own. The children of a postmaster
// (unless it is 0) count too, dying ones among them, which have no directory any more.
func members(data string, postmaster int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if _, parent, _ := status(pid); isMember(pid, data) || postmaster != 0 && parent == postmaster {
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

// killMembers kills every process of the server on a data directory and returns their process ids
// once a look finds none. The postmaster (0: not a child of ours) has to be stopped, or nobody may
// be starting it; its children count even where they are dying and have no directory any more.
func killMembers(ctx context.Context, data string, postmaster int) ([]int, error) {
	var killed []int
	err := clock.Until(ctx, func(context.Context) (bool, error) {
		pids, err := members(data, postmaster)
		if err != nil {
			return false, err
		}
		for _, pid := range pids {
			if !slices.Contains(killed, pid) {
				killed = append(killed, pid)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return false, fmt.Errorf("kill process %d of %s: %w", pid, data, err)
			}
		}
		postmaster = 0 // its children are orphans now
		return len(pids) == 0, nil
	})
	return killed, err
}

// collect waits until killed processes are gone. Those that have become this process's children
// (see adoptOrphans) are collected; a dead one that is somebody else's child is theirs to collect.
func collect(ctx context.Context, pids []int) error {
	return clock.Until(ctx, func(context.Context) (bool, error) {
		pids = slices.DeleteFunc(pids, func(pid int) bool {
			collected, _ := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			state, parent, alive := status(pid)
			return collected == pid || !alive || state == 'Z' && parent != os.Getpid()
		})
		return len(pids) == 0, nil
	})
}

// status is a process's state letter and its parent, from proc_pid_stat(5).
func status(pid int) (state byte, parent int, alive bool) {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, 0, false
	}
	// The name in parentheses may hold anything, so what follows its end is read.
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 2 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return fields[0][0], parent, err == nil
}

// adoptOrphans makes the backends of a killed postmaster this process's children: where process 1
// collects nothing (in most containers) they would stay as zombies, and PostgreSQL takes a zombie
// for a living user of its shared memory.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphaned processes: %w", err)
	}
	return nil
}
