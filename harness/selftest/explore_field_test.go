package selftest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExploreField explores a worker on pg-boss before and after a fix of it. What was wrong is
// found by itself, and not any more in the version that mends it: a completion that arrives when
// another attempt has the job. Where the packages can't be had, exploring says so.
func TestExploreField(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it installs two versions of a package from npm, and starts Node.js some forty times")
	}
	folder := filepath.Join("..", "..", "scenarios", "field", "pg-boss")
	arguments := []string{
		"explore", filepath.Join(folder, "one-job.yaml"), "--out", t.TempDir(), "--no-shrink",
		"--faults", "2", "--at", "delay at work.1 complete|kill at meanwhile-work.1 (fetch|complete)",
	}
	const stale = "settled_by_another_attempt | delay + kill | complete + fetch"
	before := call(t, append(arguments, "--variant", "pg-boss-12.34.0")...)
	if strings.Contains(before.stdout, "\n  skipped: ") {
		t.Skipf("not on this machine:\n%s", before.stdout)
	}
	if before.status != 1 || !strings.Contains(before.stdout, stale) {
		t.Errorf("exit %d, want 1 and %q before the fix:\n%s%s", before.status, stale, before.stdout,
			before.stderr)
	}
	after := call(t, arguments...)
	if after.status != 0 || !strings.Contains(after.stdout, "violations=0, inconclusive=0") {
		t.Errorf("exit %d, want 0 and no violation after the fix:\n%s%s", after.status, after.stdout,
			after.stderr)
	}
}
