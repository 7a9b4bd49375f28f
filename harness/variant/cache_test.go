package variant_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lostreply/harness/clock"
	"lostreply/harness/variant"
)

// hangingToolchain puts a go command on PATH that never ends, and whose child doesn't either. It
// appends the child's process id to the file returned.
func hangingToolchain(t *testing.T) (started string) {
	t.Helper()
	folder := t.TempDir()
	started = filepath.Join(folder, "started")
	script := "#!/bin/sh\nsleep 600 &\necho $! >> '" + started + "'\nwait\n"
	if err := os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return started
}

func pids(t *testing.T, started string) []int {
	t.Helper()
	content, err := os.ReadFile(started)
	if err != nil {
		return nil
	}
	var all []int
	for _, line := range strings.Fields(string(content)) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	return all
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := clock.WithDeadline(context.WithoutCancel(t.Context()), 20*time.Second)
	defer cancel()
	err := clock.Until(ctx, func(context.Context) (bool, error) { return condition(), nil })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Each attempt starts two commands: the build, and the list of what it is made from.
const commandsOfBuild = 2

func TestCancelEndsToolchainAndOthersStartAnew(t *testing.T) {
	root, started := checkout(t), hangingToolchain(t)
	builder := &variant.Builder{CacheDir: t.TempDir()}
	cause := errors.New("interrupted")
	first, cancelFirst := context.WithCancelCause(t.Context())
	second, cancelSecond := context.WithCancelCause(t.Context())
	results := make(chan error)
	build := func(ctx context.Context) {
		_, err := builder.Build(ctx, root, courier, nil)
		results <- err
	}
	go build(first)
	eventually(t, "the first build starts", func() bool {
		return len(pids(t, started)) == commandsOfBuild
	})
	go build(second)
	cancelFirst(cause)
	if err := <-results; !errors.Is(err, cause) {
		t.Errorf("the first build ends with %v, want its context's cause", err)
	}
	eventually(t, "the second starts it anew", func() bool {
		return len(pids(t, started)) == 2*commandsOfBuild
	})
	cancelSecond(cause)
	if err := <-results; !errors.Is(err, cause) {
		t.Errorf("the second build ends with %v, want its context's cause", err)
	}
	for _, pid := range pids(t, started) {
		eventually(t, "the toolchain's children end", func() bool { return !alive(pid) })
	}
}

// alive is false for a process that is gone, or dead and not yet reaped.
func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		_, noProc := os.Stat("/proc/self")
		return noProc != nil // without /proc a zombie can't be told apart: it is alive
	}
	return !strings.Contains(string(status), ") Z ")
}

func TestCacheForgetsWhatNobodyUsed(t *testing.T) {
	cache := t.TempDir()
	const week = 7 * 24 * time.Hour
	for name, age := range map[string]time.Duration{
		"bin/unused": week + time.Hour, "bin/used": week - time.Hour,
		"scratch/left-by-a-killed-run": week + time.Hour, "scratch/in-use": time.Minute,
	} {
		path := filepath.Join(cache, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		when := clock.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	build(t, &variant.Builder{CacheDir: cache}, checkout(t), clerk, nil)
	for name, want := range map[string]bool{
		"bin/unused": false, "bin/used": true,
		"scratch/left-by-a-killed-run": false, "scratch/in-use": true,
	} {
		if _, err := os.Stat(filepath.Join(cache, name)); (err == nil) != want {
			t.Errorf("%s: kept %t, want %t", name, err == nil, want)
		}
	}
}

// The cache holds the newest binaries up to a limit, and whatever a run may be using.
func TestCacheIsBounded(t *testing.T) {
	cache := t.TempDir()
	for name, age := range map[string]time.Duration{
		"1-just-used": time.Minute, "2-used-today": 7 * time.Hour, "3-used-before": 8 * time.Hour,
	} {
		folder := filepath.Join(cache, "bin", name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, "program")
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, 400<<20); err != nil { // sparse: it takes no space
			t.Fatal(err)
		}
		when := clock.Now().Add(-age)
		if err := os.Chtimes(folder, when, when); err != nil {
			t.Fatal(err)
		}
	}
	build(t, &variant.Builder{CacheDir: cache}, checkout(t), clerk, nil)
	for name, want := range map[string]bool{
		"1-just-used": true, "2-used-today": true, "3-used-before": false,
	} {
		if _, err := os.Stat(filepath.Join(cache, "bin", name)); (err == nil) != want {
			t.Errorf("%s: kept %t, want %t", name, err == nil, want)
		}
	}
}
