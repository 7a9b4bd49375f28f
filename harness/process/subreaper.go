package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper makes the harness the parent of whatever its children leave behind, so that a
// worker's orphans can be reaped here and do not stay zombies under an init that does not reap. It
// holds for the whole process. Only processes known to belong to a worker are ever waited for, so
// other packages' children (os/exec) keep their wait statuses; they must wait for them themselves.
func BecomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the subreaper of orphaned workers: %w", err)
	}
	return nil
}
