package variant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"lostreply/harness/clock"
)

// installLimit bounds one call of npm; it only bounds failure.
const installLimit = 5 * time.Minute

// unreachable are the codes by which npm says that it can't get to its registry at all; any other
// trouble is about what was asked for.
var unreachable = regexp.MustCompile(
	`\b(EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTCACHED|ENOTFOUND|ETIMEDOUT)\b`)

// npmInstall has the user's own npm client, which knows their registry, install what the folder's
// package.json names. Scripts of packages are not run: a version is its published files.
func npmInstall(ctx context.Context, folder string, packages map[string]string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return Unmet{Reason: fmt.Sprintf("no npm in PATH to install %s: install Node.js with npm",
			packageList(packages))}
	}
	ctx, cancel := clock.WithDeadline(ctx, installLimit)
	defer cancel()
	command := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts",
		"--loglevel=error")
	command.Dir = folder
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = outputGrace
	var words bytes.Buffer
	command.Stdout, command.Stderr = &words, &words
	err = command.Run()
	said := strings.TrimSpace(words.String())
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("npm install %s: %w", packageList(packages), context.Cause(ctx))
	case errors.As(err, &exit) && unreachable.MatchString(said):
		return Unmet{Reason: fmt.Sprintf("npm can't reach its registry to install %s (%s): "+
			"let it, once; later runs take it from the cache",
			packageList(packages), unreachable.FindString(said))}
	case errors.As(err, &exit):
		return fmt.Errorf("npm install %s: it refuses:\n%s", packageList(packages), indented(said))
	default:
		return fmt.Errorf("npm install %s: %w", packageList(packages), err)
	}
}

// packageList names packages for a reader.
func packageList(packages map[string]string) string {
	var list []string
	for _, name := range sortedKeys(packages) {
		list = append(list, name+"@"+packages[name])
	}
	return strings.Join(list, " ")
}
