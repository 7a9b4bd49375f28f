package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"lostreply/harness/clock"
)

// keeperGuard is the environment variable that makes a program's KeeperMain the keeper.
const keeperGuard = "LOSTREPLY_KEEPER"

// keeperDeadline bounds how long a keeper may take to come up, and to end.
const keeperDeadline = 30 * time.Second

// The descriptors of a keeper: orders come in on one, and its report goes out on the other.
const (
	keeperOrders = 3
	keeperReport = 4
)

// The orders of a keeper, one a line, the argument quoted as in Go.
const (
	orderGroup           = "group"            // kill this group at the end
	orderForgetGroup     = "forget-group"     // it has ended
	orderDirectory       = "directory"        // remove this directory at the end
	orderForgetDirectory = "forget-directory" // it is to stay
	orderRun             = "run"              // kill what carries a marker of this run
)

// Lines of a keeper's report.
const (
	reportReady  = "ready"
	reportKilled = "killed "
	reportFailed = "failed "
)

// Keeper is the harness's end of its keeper: a process of its own that outlives a harness that is
// killed, and ends what that leaves behind. The keeper holds the read end of a pipe whose write end
// only the harness has; the kernel closes that when the harness dies, however it dies. The keeper
// then sends SIGKILL to every group it was told of and to every process that carries a marker of
// the run, until none is left, and removes the run's directories.
//
// A nil Keeper keeps nothing.
type Keeper struct {
	command *exec.Cmd
	report  *bufio.Reader

	mutex  sync.Mutex
	orders *os.File
	closed bool
}

// Kept is what a keeper had to do at the end; after an orderly run both are empty.
type Kept struct {
	// Killed are the command lines of the processes that were still there.
	Killed []string
	// Failed are the things that could not be done, in words.
	Failed []string
}

// StartKeeper starts the keeper of a run: run is the first part of its workers' markers, and
// directories are what is removed at the end, absolute paths. The program's main (in tests:
// TestMain) must begin with KeeperMain, as the keeper is the same program again.
func StartKeeper(run string, directories []string) (*Keeper, error) {
	if os.Getenv(keeperGuard) != "" {
		return nil, errors.New("start the keeper: main must begin with KeeperMain: this is a keeper")
	}
	if run == "" || strings.ContainsAny(run, "/\x00\n") {
		return nil, fmt.Errorf("start the keeper: %q is no name of a run", run)
	}
	k, err := spawnKeeper()
	if err != nil {
		return nil, fmt.Errorf("start the keeper: %w", err)
	}
	err = k.greet()
	if err == nil {
		err = k.order(orderRun, run)
	}
	for _, directory := range directories {
		if err == nil {
			err = k.WatchDirectory(directory)
		}
	}
	if err != nil {
		k.orders.Close()
		_ = k.command.Process.Kill()
		_ = k.command.Wait()
		return nil, fmt.Errorf("start the keeper: %w", err)
	}
	return k, nil
}

// spawnKeeper starts this program again, in a session of its own, so that a Ctrl-C at the terminal
// does not reach it. It keeps none of the harness's streams: whoever reads those to their end must
// not have to wait for it.
func spawnKeeper() (*Keeper, error) {
	ordersRead, ordersWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ordersRead.Close()
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		ordersWrite.Close()
		return nil, err
	}
	defer reportWrite.Close()
	command := exec.Command("/proc/self/exe")
	command.Args = []string{"lostreply-keeper"}
	command.Dir = "/"
	command.Env = Environment([]string{"GOCOVERDIR"}, map[string]string{keeperGuard: "1"})
	command.ExtraFiles = []*os.File{ordersRead, reportWrite}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		ordersWrite.Close()
		reportRead.Close()
		return nil, err
	}
	return &Keeper{command: command, report: bufio.NewReader(reportRead), orders: ordersWrite}, nil
}

// greet waits until the keeper is there: a program whose main does not begin with KeeperMain would
// otherwise run as itself, keeping nothing.
func (k *Keeper) greet() error {
	defer k.bound()()
	line, err := k.report.ReadString('\n')
	if err != nil || line != reportReady+"\n" {
		return fmt.Errorf("it does not answer (%q, %w): main must begin with KeeperMain", line, err)
	}
	return nil
}

// bound keeps a wait for the keeper from lasting for ever: killing it ends its report. The function
// it returns lifts the bound.
func (k *Keeper) bound() func() {
	ctx, cancel := clock.WithDeadline(context.Background(), keeperDeadline)
	stop := context.AfterFunc(ctx, func() { _ = k.command.Process.Kill() })
	return func() {
		stop()
		cancel()
	}
}

// order writes one line; short writes to a pipe are atomic.
func (k *Keeper) order(verb, argument string) error {
	if k == nil {
		return nil
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.closed {
		return errors.New("the keeper is closed")
	}
	if _, err := fmt.Fprintf(k.orders, "%s %s\n", verb, strconv.Quote(argument)); err != nil {
		return fmt.Errorf("the keeper has died, and what starts now could outlive the harness: %w",
			err)
	}
	return nil
}

// Watch has a process group killed when the harness dies. Start does it for every worker; it is for
// those who start processes by other means.
func (k *Keeper) Watch(group int) error {
	if group <= 1 {
		return fmt.Errorf("watch process group %d: no group of a child", group)
	}
	return k.order(orderGroup, strconv.Itoa(group))
}

// Forget takes Watch back. It must be called before the group's leader is reaped: after that its
// number may be anyone's.
func (k *Keeper) Forget(group int) error { return k.order(orderForgetGroup, strconv.Itoa(group)) }

// WatchDirectory has a directory and all in it removed when the harness dies, and at Close.
func (k *Keeper) WatchDirectory(directory string) error {
	if clean := filepath.Clean(directory); !filepath.IsAbs(clean) || filepath.Dir(clean) == "/" {
		return fmt.Errorf("watch directory %q: not a path of at least two names from /", directory)
	}
	return k.order(orderDirectory, directory)
}

// ForgetDirectory takes WatchDirectory back, for a directory that is to stay.
func (k *Keeper) ForgetDirectory(directory string) error {
	return k.order(orderForgetDirectory, directory)
}

// Close ends the keeper in the orderly way, and says what it still found to do. It comes last: what
// runs then is killed.
func (k *Keeper) Close() (Kept, error) {
	if k == nil {
		return Kept{}, nil
	}
	k.mutex.Lock()
	closed := k.closed
	k.closed = true
	k.mutex.Unlock()
	if closed {
		return Kept{}, nil
	}
	k.orders.Close()
	defer k.bound()()
	report, err := io.ReadAll(k.report)
	if waited := k.command.Wait(); err == nil {
		err = waited
	}
	kept := readReport(string(report))
	if err != nil {
		return kept, fmt.Errorf("close the keeper: %w", err)
	}
	return kept, nil
}

func readReport(report string) Kept {
	var kept Kept
	for line := range strings.Lines(report) {
		line = strings.TrimSuffix(line, "\n")
		if command, found := strings.CutPrefix(line, reportKilled); found {
			kept.Killed = append(kept.Killed, command)
		}
		if failure, found := strings.CutPrefix(line, reportFailed); found {
			kept.Failed = append(kept.Failed, failure)
		}
	}
	return kept
}
