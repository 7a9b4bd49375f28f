package variant

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// systemPython is where the interpreter is that a distribution's python3-* packages belong to,
// which another one may stand before in PATH.
const systemPython = "/usr/bin/python3"

// NeedCommands finds commands in PATH. Its error is Unmet, naming those that are not there.
func NeedCommands(commands []string) error {
	var missing []string
	for _, command := range commands {
		if _, err := exec.LookPath(command); err != nil && !slices.Contains(missing, command) {
			missing = append(missing, command)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return Unmet{Reason: fmt.Sprintf("not in PATH: %s", strings.Join(missing, ", "))}
}

// FindPython finds an interpreter that can import all the modules: python3 of PATH, else the
// system's own. It is asked in the environment that programs get, so that it answers for them. Its
// error is Unmet, saying what each lacks.
func FindPython(ctx context.Context, environment, modules []string) (string, error) {
	var tried []string
	for _, candidate := range []string{"python3", systemPython} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			tried = append(tried, candidate+" is not there")
			continue
		}
		lacks, err := lacksModule(ctx, environment, path, modules)
		if err != nil {
			return "", err
		}
		if lacks == "" {
			return path, nil
		}
		tried = append(tried, fmt.Sprintf("%s %s", path, lacks))
	}
	what := "no Python"
	if len(modules) > 0 {
		what += " with " + strings.Join(modules, ", ")
	}
	return "", Unmet{Reason: what + ": " + strings.Join(slices.Compact(tried), "; ")}
}

// lacksModule says what keeps an interpreter from importing the modules; empty when nothing does.
func lacksModule(
	ctx context.Context, environment []string, python string, modules []string,
) (string, error) {
	script := "pass"
	for _, module := range modules {
		script += "\nimport " + module
	}
	command := exec.CommandContext(ctx, python, "-c", script)
	command.Env = environment
	words, err := command.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("ask %s for its modules: %w", python, context.Cause(ctx))
	case !errors.As(err, &exit):
		return fmt.Sprintf("can't be run (%v)", err), nil
	}
	lines := strings.Split(strings.TrimSpace(string(words)), "\n")
	return fmt.Sprintf("says %q", lines[len(lines)-1]), nil
}
