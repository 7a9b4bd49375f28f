package variant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// ErrNoToolchain is why nothing can be built: there is no go command.
var ErrNoToolchain = errors.New("no Go toolchain: there is no go command on PATH; " +
	"install Go (https://go.dev/dl) or add its bin folder to PATH")

// CompileError is the toolchain's refusal to build.
type CompileError struct {
	// Package is what was to be built; Defect is the defect that was put in, or empty.
	Package, Defect string
	// Output is what the toolchain printed.
	Output string
}

// Error gives the compiler's words.
func (e *CompileError) Error() string {
	with := ""
	if e.Defect != "" {
		with = " with defect " + e.Defect
	}
	return fmt.Sprintf("build %s%s: the toolchain refuses it:\n%s",
		e.Package, with, indented(e.Output))
}

// outputGrace bounds how long a stopped toolchain's children may keep its output open.
const outputGrace = 5 * time.Second

// goCommand runs the toolchain in a folder, and its whole process group ends with ctx. Its refusal
// is a *refusal with what it printed.
func (b *Builder) goCommand(ctx context.Context, folder string, arguments ...string) (
	[]byte, error,
) {
	program, err := exec.LookPath("go")
	if err != nil {
		return nil, ErrNoToolchain
	}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = folder
	// What a killed toolchain leaves behind lies in the cache, and is tidied away with it.
	command.Env = append(os.Environ(), "PWD="+folder, "GOTMPDIR="+b.scratch())
	command.Env = append(command.Env, b.Environment...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = outputGrace
	var output, words bytes.Buffer
	command.Stdout, command.Stderr = &output, &words
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &exit):
			return nil, &refusal{output: strings.TrimSpace(output.String() + words.String())}
		}
		return nil, fmt.Errorf("run %s: %w", program, err)
	}
	return output.Bytes(), nil
}

// refusal is the toolchain's answer that something is wrong with what it was given.
type refusal struct{ output string }

func (r *refusal) Error() string { return r.output }
