package postgres

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// installedSource is a PostgreSQL installed on the machine, newest first. It is used where it is.
func installedSource() source {
	return source{
		name: "a PostgreSQL installed on this machine",
		fix:  "install PostgreSQL's server package, 14 or later",
		find: func(ctx context.Context, _ string) (string, error) {
			return newestInstalled(ctx, installedDirectories(ctx))
		},
	}
}

// installedDirectories are the places where packages put the programs. The order does not matter.
func installedDirectories(ctx context.Context) []string {
	var dirs []string
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/usr/libexec/postgresql*", "/usr/local/pgsql/bin"} {
		found, _ := filepath.Glob(pattern) // the only error is a malformed pattern
		dirs = append(dirs, found...)
	}
	if server, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(server); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func newestInstalled(ctx context.Context, dirs []string) (string, error) {
	var usable []Binaries
	var failures []error
	for _, dir := range dirs {
		if binaries, err := probe(ctx, dir); err != nil {
			failures = append(failures, err)
		} else {
			usable = append(usable, binaries)
		}
	}
	if len(usable) > 0 {
		newest := slices.MaxFunc(usable, func(a, b Binaries) int { return cmp.Compare(a.Major, b.Major) })
		return newest.Dir, nil
	}
	if len(failures) > 0 {
		return "", errors.Join(failures...)
	}
	return "", errors.New("neither pg_config nor a usual directory names one")
}
