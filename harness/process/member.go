package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

// commandLimit bounds the command line of a member in messages, in bytes.
const commandLimit = 200

// execLimit bounds the wait for a process that is in the middle of execve.
const execLimit = 200 * time.Millisecond

// environmentLimit bounds how much of a process's environment is searched for a marker, in bytes.
// It is above what execve accepts for one string of it (128 KiB) many times over.
const environmentLimit = 8 << 20

// Member is one process of a worker, as /proc showed it.
type Member struct {
	PID     int
	Command string
	// State is its state when it was last seen: "running", "sleeping", "stopped", "waiting" (in the
	// kernel, uninterruptible) or "zombie".
	State string
	// Left says that it had left the worker's process group.
	Left bool
}

// String writes a member for a message: `4711 sleeping: node worker.js`.
func (m Member) String() string {
	left := ""
	if m.Left {
		left = ", left the group"
	}
	return fmt.Sprintf("%d %s%s: %s", m.PID, m.State, left, m.Command)
}

// stat is what the harness needs of /proc/<pid>/stat, proc_pid_stat(5).
type stat struct {
	parent  int
	state   byte
	command string
}

// dead tells a process that can't run any more: a zombie, or one just being removed.
func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// readStat reads a stat file; found is false when the process is gone.
func readStat(path string) (read stat, found bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return stat{}, false
	}
	// The name is in parentheses and may itself hold any of them: the last one ends it.
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 2 {
		return stat{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return stat{}, false
	}
	return stat{parent: parent, state: fields[0][0], command: string(text[open+1 : end])}, true
}

// processes lists the pids of /proc, ascending.
func processes() ([]int, error) {
	pids, err := numbersIn("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return pids, nil
}

func numbersIn(directory string) ([]int, error) {
	file, err := os.Open(directory)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	names, err := file.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, name := range names {
		if number, err := strconv.Atoi(name); err == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// threadStates are the states of all threads of a process; empty when it is gone. The process's own
// state is that of its first thread, which may have ended, or stopped, before the others.
func threadStates(pid int) []byte {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := numbersIn(tasks)
	if err != nil {
		return nil
	}
	var states []byte
	for _, thread := range threads {
		if read, found := readStat(filepath.Join(tasks, strconv.Itoa(thread), "stat")); found {
			states = append(states, read.state)
		}
	}
	return states
}

// alive tells whether any thread of a process can still run.
func alive(pid int) bool {
	read, found := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	if !found {
		return false
	}
	if !read.dead() {
		return true
	}
	return slices.ContainsFunc(threadStates(pid), func(state byte) bool {
		return !stat{state: state}.dead()
	})
}

// carries tells whether a process's environment has the marker. An exact value is asked for by
// ending it with a NUL, those of a whole run by a prefix. What may not be read carries nothing.
func carries(pid int, marker string) bool {
	text, _ := settledEnvironment(pid)
	return marked(text, marker)
}

// marked tells whether an environment has the marker, or one that begins so.
func marked(environment []byte, marker string) bool {
	wanted := []byte(MarkerName + "=" + marker)
	return bytes.HasPrefix(environment, wanted) ||
		bytes.Contains(environment, append([]byte{0}, wanted...))
}

// settledEnvironment is a process's environment past an execve that is under way. It is settled
// when it is what the process has, or is not to be known; an empty one may be of a process that
// ends.
func settledEnvironment(pid int) (text []byte, settled bool) {
	text, err := environment(pid)
	if len(text) == 0 && !errors.Is(err, fs.ErrPermission) && len(arguments(pid)) > 0 {
		text, err = environment(pid) // now that it is past its execve; or it has none
	}
	return text, len(text) > 0 || errors.Is(err, fs.ErrPermission)
}

// environment is a process's environment as it was at its execve; empty when it may not be read.
func environment(pid int) ([]byte, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, environmentLimit))
}

// arguments are a process's arguments, a NUL after each. They read empty, and so does its
// environment, while execve is replacing its memory: that is waited out. A zombie has none.
func arguments(pid int) []byte {
	ctx, cancel := clock.WithDeadline(context.Background(), execLimit)
	defer cancel()
	var text []byte
	// Past the limit they are empty for another reason, which is no error here.
	_ = clock.Until(ctx, func(context.Context) (bool, error) {
		var err error
		text, err = os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || len(text) > 0 {
			return true, nil
		}
		read, found := readStat(fmt.Sprintf("/proc/%d/stat", pid))
		return !found || read.dead(), nil
	})
	return text
}

// describe looks at one process; found is false when it is gone.
func describe(pid int) (described Member, found bool) {
	read, found := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	if !found {
		return Member{}, false
	}
	command := commandLine(pid, read.command)
	return Member{PID: pid, Command: command, State: stateName(read.state)}, true
}

// commandLine is a process's command line in one bounded line; a zombie has none but its name.
func commandLine(pid int, name string) string {
	text := arguments(pid)
	if len(text) == 0 {
		return "[" + name + "]"
	}
	line := strings.Join(strings.FieldsFunc(string(text), func(r rune) bool {
		return r == 0 || r == '\n'
	}), " ")
	if len(line) > commandLimit {
		line = line[:commandLimit] + "…"
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}

// stateName puts a state letter of proc_pid_stat(5) into a word.
func stateName(state byte) string {
	switch state {
	case 'R':
		return "running"
	case 'S', 'I':
		return "sleeping"
	case 'T', 't':
		return "stopped"
	case 'Z', 'X', 'x':
		return "zombie"
	default:
		return "waiting"
	}
}

// signalProcess signals one process that has been seen to belong. Between the look and the signal
// its pid could have passed to a stranger: so the process is pinned first, then looked at again.
func signalProcess(pid int, signal unix.Signal, belongs func(pid int) bool) error {
	pinned, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open process %d: %w", pid, err)
	}
	defer unix.Close(pinned)
	if !belongs(pid) {
		return nil
	}
	err = unix.PidfdSendSignal(pinned, signal, nil, 0)
	if err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal %s to process %d: %w", signalName(signal), pid, err)
	}
	return nil
}

// holders lists the processes, but the harness, that have one of the pipes open. A child that is
// between fork and exec holds a copy of all that the harness has open; ForkLock keeps those away.
func holders(inodes []uint64) ([]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pids, err := processes()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, inode := range inodes {
		names = append(names, fmt.Sprintf("pipe:[%d]", inode))
	}
	return slices.DeleteFunc(pids, func(pid int) bool {
		return pid == os.Getpid() || !hasOpen(pid, names)
	}), nil
}

// hasOpen tells whether a process has one of the files open, by what /proc calls them.
func hasOpen(pid int, names []string) bool {
	directory := fmt.Sprintf("/proc/%d/fd", pid)
	descriptors, err := numbersIn(directory)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(descriptors, func(descriptor int) bool {
		name, err := os.Readlink(filepath.Join(directory, strconv.Itoa(descriptor)))
		return err == nil && slices.Contains(names, name)
	})
}
