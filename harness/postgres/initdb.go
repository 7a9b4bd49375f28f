package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"lostreply/harness/clock"
)

// clockBase is the database that others are made from when they are to have the movable clock. It
// is template1, so that a system which makes databases of its own gets the clock in them too.
const clockBase = "template1"

// plainBase is the database for those that are not.
const plainBase = "template0"

// preparedPath is where the prepared data directory of some binaries is, or will be.
func preparedPath(binaries Binaries) string {
	digest := sha256.Sum256([]byte(strings.Join(
		[]string{binaries.Version, binaries.Dir, settings, clock.InstallSQL(),
			strings.Join(initdbArguments("C.UTF-8"), " ")}, "\x00")))
	return filepath.Join(cacheFolder(binaries.cacheDir),
		fmt.Sprintf("cluster-%s-%x", binaries.Version, digest[:6]))
}

// isPrepared tells whether a prepared data directory is there: it is put in place whole.
func isPrepared(path string) bool {
	_, err := os.Stat(filepath.Join(path, "PG_VERSION"))
	return err == nil
}

// preparedCluster is a data directory, made once for each version of the programs, the settings and
// the clock, that runs copy. Making one takes seconds; copying it does not.
func preparedCluster(ctx context.Context, binaries Binaries, who identity,
	base string) (string, error) {
	final := preparedPath(binaries)
	if isPrepared(final) {
		return final, nil
	}
	unlock, err := lockCache(ctx, binaries.cacheDir)
	if err != nil {
		return "", err
	}
	defer unlock()
	if isPrepared(final) {
		return final, nil
	}
	binaries.log("postgres: preparing a data directory")
	partial, err := os.MkdirTemp(cacheFolder(binaries.cacheDir), partialPrefix)
	if err == nil {
		err = makeCluster(ctx, binaries, who, base, partial)
	}
	if err == nil {
		err = replace(partial, final)
	}
	if err != nil {
		return "", fmt.Errorf("prepare a data directory: %w", errors.Join(err, os.RemoveAll(partial)))
	}
	return final, nil
}

// makeCluster makes a data directory where servers run, which every identity can reach, and leaves
// a copy of it in the cache.
func makeCluster(ctx context.Context, binaries Binaries, who identity,
	base, into string) (err error) {
	dir, err := newRunDir(ctx, base)
	if err != nil {
		return err
	}
	server := &Server{binaries: binaries, who: who, dir: dir}
	server.databases = server.newDatabases()
	defer func() { err = errors.Join(err, server.Close(ctx)) }()
	if err := initdb(ctx, binaries, who, dir); err != nil {
		return err
	}
	if err := server.launch(ctx); err != nil {
		return err
	}
	conn, err := server.connect(ctx, clockBase)
	if err != nil {
		return err
	}
	if err := errors.Join(clock.Install(ctx, conn), conn.Close(ctx)); err != nil {
		return err
	}
	if err := server.Stop(ctx); err != nil {
		return err
	}
	return os.CopyFS(into, os.DirFS(dir.data()))
}

func initdbArguments(locale string) []string {
	return []string{"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=" + locale,
		"--wal-segsize=1", "--no-sync", "--no-instructions"}
}

// initdb makes the data directory of a run. The locale C.UTF-8 sorts by code point everywhere;
// where the C library has none, C does too.
func initdb(ctx context.Context, binaries Binaries, who identity, dir runDir) error {
	var failures []error
	for _, locale := range []string{"C.UTF-8", "C"} {
		if err := os.Mkdir(dir.data(), 0o700); err != nil {
			return err
		}
		if err := who.own(dir.data()); err != nil {
			return fmt.Errorf("hand over %s: %w", dir.data(), err)
		}
		command := exec.CommandContext(ctx, filepath.Join(binaries.Dir, "initdb"),
			append(initdbArguments(locale), "--pgdata="+dir.data())...)
		command.Env = serverEnvironment()
		command.Dir = dir.path
		command.SysProcAttr = who.attributes(syscall.SIGKILL)
		out, err := command.CombinedOutput()
		if err == nil {
			return appendTo(filepath.Join(dir.data(), "postgresql.conf"), settings)
		}
		failures = append(failures, fmt.Errorf("initdb as %s with locale %s: %w: %s", who.name,
			locale, err, strings.TrimSpace(string(out))))
		if err := os.RemoveAll(dir.data()); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// serverEnvironment keeps a user's PG* variables and locale away from the programs of PostgreSQL.
func serverEnvironment() []string {
	environment := []string{"LC_ALL=C", "TZ=UTC",
		// A backend keeps the memory of one query for the next, in place of giving it back to the
		// kernel and faulting it in anew, page by page: mallopt(3).
		"MALLOC_TRIM_THRESHOLD_=67108864", "MALLOC_MMAP_THRESHOLD_=33554432"}
	if path, set := os.LookupEnv("PATH"); set {
		environment = append(environment, "PATH="+path)
	}
	return environment
}
