// Package process owns the processes of a run. A worker is its whole process group, never one pid:
// `npm run x`, forking servers and daemonisers are killed and stopped whole, each member confirmed
// from outside the worker, by wait status and /proc. Output is drained to its end before anything
// is judged by it, and every child dies with the harness, even when that is SIGKILLed.
//
// Who belongs to a worker:
//   - its process group, which the kernel keeps for us: a signal to the group reaches a member that
//     is being forked, too (fork(2) restarts when a signal to the group arrives in the middle);
//   - whoever left that group (setsid, job control, a daemon), found by the marker that Start puts
//     into the environment of each worker;
//   - once those are gone, whoever still holds the worker's output open.
//
// A process that has changed its user to one whose /proc entries the harness may not read, and that
// has left the group, is not found.
//
// Files: spec.go and environment.go say what to start, spawn.go starts it, group.go is the worker,
// reap.go waits for it, kill.go and stop.go act on it, member.go and census.go look at /proc,
// output.go and waitline.go keep what it wrote; keeper.go is the harness's side of the keeper, and
// keepermain.go the keeper.
//
// The package is for Linux 5.4 and later on 64-bit machines: it needs process groups, pidfd, /proc,
// PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER.
package process
