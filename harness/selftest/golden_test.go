package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/clock"
)

// patience bounds every wait of these tests; none of them is meant to need it.
const patience = 2 * time.Minute

// longPatience bounds each call where everything is asked for (LOSTREPLY_LONG).
const longPatience = time.Hour

// outcome is what one call of the command came to.
type outcome struct {
	arguments      []string
	stdout, stderr string
	status         int
}

// callersDatabase is where a worker would end up if it got anything of its caller's environment.
const callersDatabase = "DATABASE_URL=postgres://caller:secret@203.0.113.1:1/real"

// command is the command under test, in the environment of somebody who has a real database.
func command(ctx context.Context, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, arguments...)
	cmd.Env = append(os.Environ(), callersDatabase, "PGHOST=203.0.113.1", "CI=")
	return cmd
}

// call runs the command to its end.
func call(t *testing.T, arguments ...string) outcome {
	t.Helper()
	return callWith(t, nil, arguments...)
}

// callWith runs the command with more environment.
func callWith(t *testing.T, environment []string, arguments ...string) outcome {
	t.Helper()
	limit := patience
	if long() {
		limit = longPatience
	}
	ctx, cancel := clock.WithDeadline(t.Context(), limit)
	defer cancel()
	cmd := command(ctx, arguments...)
	cmd.Env = append(cmd.Env, environment...)
	return finish(t, cmd, cmd.Run)
}

// finish lets a command end and gathers what it came to.
func finish(t *testing.T, cmd *exec.Cmd, run func() error) outcome {
	t.Helper()
	o, err := ended(cmd, run)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// ended is finish for more than one test.
func ended(cmd *exec.Cmd, run func() error) (outcome, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := run(); err != nil && !errors.As(err, &exit) {
		return outcome{}, fmt.Errorf("run %v: %w", cmd.Args, err)
	}
	return outcome{
		arguments: cmd.Args[1:], stdout: stdout.String(), stderr: stderr.String(),
		status: cmd.ProcessState.ExitCode(),
	}, nil
}

// expectStatus stops the test, showing all, when the command did not exit as it should.
func (o outcome) expectStatus(t *testing.T, status int) outcome {
	t.Helper()
	if o.status != status {
		t.Fatalf("%v: exit status %d, want %d\n%s%s", o.arguments, o.status, status, o.stdout, o.stderr)
	}
	return o
}

// String is the outcome as golden files hold it.
func (o outcome) String() string {
	text := fmt.Sprintf("$ lostreply %s\n%s", strings.Join(o.arguments, " "), o.stdout)
	if o.stderr != "" {
		text += "--- standard error\n" + o.stderr
	}
	return text + fmt.Sprintf("--- exit %d\n", o.status)
}

// varying is what differs from run to run and from machine to machine, and what stands for it.
// What a run says of its surroundings (which PostgreSQL it found) is left out.
var varying = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?m)^postgres: .*\n`), ""},
	{regexp.MustCompile(`(?m)^exploring .*\n`), ""},
	{regexp.MustCompile(`(?m)^swept /.*\n`), ""}, // of somebody's run that was killed
	{regexp.MustCompile(`--- standard error\n--- exit`), "--- exit"},
	{regexp.MustCompile(`/\S*/run-\d+/`), "RUN/"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`took [0-9.]+[mµ]?s`), "took DURATION"},
	{regexp.MustCompile(`"duration_ns": \d+`), `"duration_ns": 0`},
	{regexp.MustCompile(`\([0-9a-f]{12}\)`), "(COMMIT)"},
	{regexp.MustCompile(`\bpid \d+`), "pid PID"},
	{regexp.MustCompile(`not found in PATH \([^)]*\)`), "not found in PATH (…)"},
	{regexp.MustCompile(`\S*/builds/[^ "]*/probe\b`), "BUILT/probe"},
}

// normal is a text without what varies. Folders of the test are told by their names.
func normal(text string, folders map[string]string) string {
	for folder, name := range folders {
		text = strings.ReplaceAll(text, folder, name)
	}
	for _, each := range varying {
		text = each.pattern.ReplaceAllString(text, each.instead)
	}
	return text
}

// golden compares a text with a committed file, or writes that with -update.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden text: %v; write it with: go test ./harness/selftest -update", err)
	}
	difference := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n"))
	if difference != "" {
		t.Errorf("%s differs (- golden, + now); if that is right: go test ./harness/selftest -update\n%s",
			path, difference)
	}
}
