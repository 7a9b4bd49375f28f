package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// child is a running postmaster.
type child struct {
	pid    int
	exited chan struct{} // closed when it has ended and was collected
	err    error         // how it ended; to be read after exited
	log    string        // the file that holds its output
}

// spawn starts a program as this process's child, which ends when this process does. The kernel
// sends the signal for that when the *thread* that started the child ends, so the thread is kept
// for as long as the child lives: it belongs to the goroutine that waits for it.
func spawn(command *exec.Cmd, logPath string) (*child, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	command.Stdout, command.Stderr = log, log
	process := &child{exited: make(chan struct{}), log: logPath}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		err := command.Start()
		_ = log.Close() // the child has its own
		if err == nil {
			process.pid = command.Process.Pid
		}
		started <- err
		if err == nil {
			process.err = command.Wait()
			close(process.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Path, err)
	}
	return process, nil
}

func (c *child) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

func (c *child) signal(signal syscall.Signal) error {
	if c.hasExited() {
		return nil
	}
	return syscall.Kill(c.pid, signal)
}

// lastLines are the end of what the server said, for errors.
func (c *child) lastLines() string {
	const wanted = 20
	content, err := os.ReadFile(c.log)
	if err != nil {
		return fmt.Sprintf("(its log can't be read: %v)", err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) > wanted {
		lines = lines[len(lines)-wanted:]
	}
	return "its last lines:\n  " + strings.Join(lines, "\n  ")
}
