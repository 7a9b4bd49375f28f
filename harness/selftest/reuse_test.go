package selftest

import (
	"regexp"
	"slices"
	"testing"
)

var inDatabase = regexp.MustCompile(`(?m)the database: .*?(\d+)`)

// databasesOf are the databases that the scenarios of a run told that they were in, in order.
func (o outcome) databases() []string {
	var all []string
	for _, match := range inDatabase.FindAllStringSubmatch(o.stdout, -1) {
		all = append(all, match[1])
	}
	return all
}

// TestADatabaseIsUsedAgain makes sure that scenarios share a database, that none finds what another
// left, and that one whose schema was changed goes to nobody. With --fresh each has its own.
func TestADatabaseIsUsedAgain(t *testing.T) {
	t.Parallel()
	files := []string{"testdata/reuse/fill-1.yaml", "testdata/reuse/fill-2.yaml",
		"testdata/reuse/spoil.yaml", "testdata/reuse/then-1.yaml"}
	arguments := append([]string{"run", "--parallel", "1"}, files...)
	shared := call(t, arguments...).expectStatus(t, 0)
	used := shared.databases()
	if len(used) != len(files) {
		t.Fatalf("%d of %d databases were told:\n%s", len(used), len(files), shared)
	}
	if used[0] != used[1] || used[1] != used[2] {
		t.Errorf("the database was not used again: %v", used)
	}
	if used[3] == used[2] {
		t.Errorf("a database whose schema was changed was used again: %v", used)
	}
	fresh := call(t, append(arguments, "--fresh")...).expectStatus(t, 0).databases()
	slices.Sort(fresh)
	if len(slices.Compact(fresh)) != len(files) {
		t.Errorf("--fresh: a database was used twice: %v", fresh)
	}
}
