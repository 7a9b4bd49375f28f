package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"lostreply/harness/clock"
)

// sweepDeadline bounds how long a keeper tries to end what is left.
const sweepDeadline = 20 * time.Second

// KeeperMain is the first call of main, and of TestMain: in a process that StartKeeper started it
// is the keeper and never returns; in any other it does nothing.
func KeeperMain() {
	if os.Getenv(keeperGuard) != "1" {
		return
	}
	// Whoever ends the harness by a signal to everything in sight must not end the keeper with it.
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE)
	orders := os.NewFile(keeperOrders, "orders")
	report := os.NewFile(keeperReport, "report")
	fmt.Fprintln(report, reportReady)
	keep := duties{groups: map[int]bool{}, directories: map[string]bool{}, report: report}
	keep.obey(orders)
	keep.sweep()
	os.Exit(0)
}

// duties is what a keeper was told to end.
type duties struct {
	run         string
	groups      map[int]bool
	directories map[string]bool
	report      io.Writer // broken when the harness is dead: nobody reads it then
	killed      map[int]bool
}

// obey takes orders until the harness has closed the pipe or is dead. A last line without an end
// was not written whole; it can't happen to lines this short.
func (d *duties) obey(orders io.Reader) {
	for scanner := bufio.NewScanner(orders); scanner.Scan(); {
		verb, quoted, _ := strings.Cut(scanner.Text(), " ")
		argument, err := strconv.Unquote(quoted)
		if err != nil {
			d.fail("an order was not understood: %s", scanner.Text())
			continue
		}
		group, _ := strconv.Atoi(argument)
		switch verb {
		case orderRun:
			d.run = argument
		case orderGroup:
			d.groups[group] = true
		case orderForgetGroup:
			delete(d.groups, group)
		case orderDirectory:
			d.directories[argument] = true
		case orderForgetDirectory:
			delete(d.directories, argument)
		}
	}
}

func (d *duties) fail(format string, arguments ...any) {
	fmt.Fprintf(d.report, reportFailed+format+"\n", arguments...)
}

// sweep kills until nothing is found any more, then removes the directories.
func (d *duties) sweep() {
	ctx, cancel := clock.WithDeadline(context.Background(), sweepDeadline)
	defer cancel()
	d.killed = map[int]bool{}
	nothing := 0
	err := clock.Until(ctx, func(context.Context) (bool, error) {
		left, err := d.left()
		if err != nil {
			return false, err
		}
		d.kill(left)
		if nothing++; len(left) > 0 {
			nothing = 0
		}
		// Two looks in a row: /proc is not read at one instant, and a member may have been forking.
		return nothing == 2, nil
	})
	if err != nil {
		d.fail("processes are left: %v", err)
	}
	for _, directory := range slices.Sorted(maps.Keys(d.directories)) {
		// Again, while a program that is just dying still puts files into it.
		err := clock.Until(ctx, func(context.Context) (bool, error) {
			return os.RemoveAll(directory) == nil, nil
		})
		if err != nil {
			d.fail("remove %s: %v: remove it by hand", directory, os.RemoveAll(directory))
		}
	}
}

// left lists what still lives of the groups and of the run.
func (d *duties) left() ([]int, error) {
	pids, err := processes()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(pids, func(pid int) bool { return !d.owns(pid) || !alive(pid) }), nil
}

func (d *duties) owns(pid int) bool {
	if pid == os.Getpid() {
		return false
	}
	group, err := unix.Getpgid(pid)
	if err != nil || group == kernelGroup {
		return false
	}
	return d.groups[group] || (d.run != "" && carries(pid, d.run+"/"))
}

// kill reports each process once, then kills the groups whole, a member that is being forked among
// them, and one by one those who have left theirs.
func (d *duties) kill(pids []int) {
	for _, pid := range pids {
		if member, found := describe(pid); found && !d.killed[pid] {
			d.killed[pid] = true
			fmt.Fprintf(d.report, "%s%s\n", reportKilled, member.Command)
		}
	}
	for _, pid := range pids {
		if group, err := unix.Getpgid(pid); err == nil && d.groups[group] {
			_ = unix.Kill(-group, killSignal)
			continue
		}
		if err := signalProcess(pid, killSignal, d.owns); err != nil {
			d.fail("%v", err)
		}
	}
}
