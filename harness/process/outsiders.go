package process

import (
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

// outsiders are the members that were seen outside the worker's process group. Each is pinned by a
// pidfd, which can't come to mean another process: once a member, always a member, whatever it does
// to its environment afterwards.
type outsiders struct {
	mutex  sync.Mutex
	pinned map[int]int // pidfd by pid
}

// pin notes an outsider that has just been seen; pinning fails only for one that is gone already.
func (o *outsiders) pin(pid int) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if _, found := o.pinned[pid]; found {
		return
	}
	if opened, err := unix.PidfdOpen(pid, 0); err == nil {
		if o.pinned == nil {
			o.pinned = map[int]int{}
		}
		o.pinned[pid] = opened
	}
}

// has tells whether pid still is the process that was pinned.
func (o *outsiders) has(pid int) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	pinned, found := o.pinned[pid]
	return found && unix.PidfdSendSignal(pinned, 0, nil, 0) == nil
}

// reap reaps the dead ones whose parent the harness has become, and lets go of those that are gone.
func (o *outsiders) reap() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for pid, pinned := range o.pinned {
		// That it is no child of ours, or still alive, is no error.
		_, _ = waitFor(unix.P_PIDFD, pinned, unix.WEXITED|unix.WNOHANG)
		if errors.Is(unix.PidfdSendSignal(pinned, 0, nil, 0), unix.ESRCH) {
			unix.Close(pinned)
			delete(o.pinned, pid)
		}
	}
}

// release lets go of all of them.
func (o *outsiders) release() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, pinned := range o.pinned {
		unix.Close(pinned)
	}
	o.pinned = nil
}
