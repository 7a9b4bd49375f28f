package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// findProgram resolves a bare name in the PATH that the worker itself will have; a path is taken as
// it is, relative to the worker's directory.
func findProgram(spec Spec) (string, error) {
	if strings.Contains(spec.Path, "/") {
		return spec.Path, nil
	}
	search := ""
	for _, entry := range spec.Env {
		if value, found := strings.CutPrefix(entry, "PATH="); found {
			search = value
		}
	}
	unusable := ""
	for _, directory := range filepath.SplitList(search) {
		candidate := filepath.Join(directory, spec.Path)
		info, err := os.Stat(inDirectory(spec.Dir, candidate))
		if err != nil || info.IsDir() {
			continue
		}
		if info.Mode().Perm()&0o111 != 0 {
			return candidate, nil
		}
		unusable = candidate
	}
	if unusable != "" {
		return "", fmt.Errorf("start %s: %s is not executable: chmod +x it: %w",
			spec.Name, unusable, fs.ErrPermission)
	}
	return "", fmt.Errorf("start %s: program %q not found in PATH (%s): "+
		"install it, or give its path: %w", spec.Name, spec.Path, search, fs.ErrNotExist)
}

// inDirectory is a path as seen from a working directory.
func inDirectory(directory, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(directory, path)
}

// pipes are the ends of a worker's streams: the harness reads, the worker writes.
type pipes struct {
	null           *os.File
	stdout, stderr [2]int
}

// openPipes makes the streams. The write ends stay blocking, as a program expects of its output;
// the read ends are not, so that the runtime's poller serves them without a thread each.
func openPipes() (p pipes, err error) {
	if p.null, err = os.Open(os.DevNull); err != nil {
		return pipes{}, err
	}
	for _, pair := range []*[2]int{&p.stdout, &p.stderr} {
		if err := unix.Pipe2(pair[:], unix.O_CLOEXEC); err != nil {
			p.close()
			return pipes{}, fmt.Errorf("make a pipe: %w", err)
		}
		if err := unix.SetNonblock(pair[0], true); err != nil {
			p.close()
			return pipes{}, fmt.Errorf("make a pipe non-blocking: %w", err)
		}
	}
	return p, nil
}

// readers turns the read ends into files, which own the descriptors from then on.
func (p *pipes) readers() (stdout, stderr *os.File) {
	return os.NewFile(uintptr(p.stdout[0]), "stdout"), os.NewFile(uintptr(p.stderr[0]), "stderr")
}

// closeWriters leaves the worker the only one to hold the write ends, or EOF would never come.
func (p *pipes) closeWriters() {
	p.null.Close()
	closeDescriptors(p.stdout[1], p.stderr[1])
}

func (p *pipes) close() {
	p.closeWriters()
	closeDescriptors(p.stdout[0], p.stderr[0])
}

// closeDescriptors closes those that were opened: 0 is never a pipe of ours.
func closeDescriptors(descriptors ...int) {
	for _, descriptor := range descriptors {
		if descriptor > 0 {
			unix.Close(descriptor)
		}
	}
}

// inodes name the pipes in /proc/<pid>/fd.
func (p *pipes) inodes() ([]uint64, error) {
	var inodes []uint64
	for _, descriptor := range []int{p.stdout[0], p.stderr[0]} {
		var status unix.Stat_t
		if err := unix.Fstat(descriptor, &status); err != nil {
			return nil, fmt.Errorf("stat a pipe: %w", err)
		}
		inodes = append(inodes, status.Ino)
	}
	return inodes, nil
}

// fork starts the program as the leader of a new process group. PR_SET_PDEATHSIG, which kills the
// leader when the harness dies, is about the *thread* that forked: the caller has locked its
// goroutine to one and keeps it until the leader has ended.
func fork(spec Spec, program string, p *pipes) (int, error) {
	return syscall.ForkExec(program, append([]string{spec.Path}, spec.Args...), &syscall.ProcAttr{
		Dir:   spec.Dir,
		Env:   spec.environment(),
		Files: []uintptr{p.null.Fd(), uintptr(p.stdout[1]), uintptr(p.stderr[1])},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
}

// explain says what to do about a program that did not start.
func explain(spec Spec, program string, err error) error {
	told := func(advice string) error {
		return fmt.Errorf("start %s: %s: %w", spec.Name, advice, err)
	}
	if spec.Dir != "" {
		if info, err := os.Stat(spec.Dir); err != nil || !info.IsDir() {
			return told(fmt.Sprintf("its directory %s does not exist: create it, or correct `dir`",
				spec.Dir))
		}
	}
	info, statError := os.Stat(inDirectory(spec.Dir, program))
	switch {
	case errors.Is(statError, fs.ErrNotExist):
		return told(fmt.Sprintf("program %s not found: build it, or correct its path", program))
	case errors.Is(err, fs.ErrNotExist):
		return told(fmt.Sprintf("the interpreter that %s names in its first line, or its loader, "+
			"is not there: install it", program))
	case statError == nil && info.IsDir():
		return told(fmt.Sprintf("%s is a directory: name the program in it", program))
	case errors.Is(err, fs.ErrPermission):
		return told(fmt.Sprintf("%s is not executable: chmod +x it", program))
	case errors.Is(err, syscall.ENOEXEC):
		return told(fmt.Sprintf("%s is no program of this machine and has no #! line: "+
			"build it for this machine, or add one", program))
	case errors.Is(err, syscall.E2BIG):
		return told("its arguments and environment are too long: shorten them")
	default:
		return told(program)
	}
}
