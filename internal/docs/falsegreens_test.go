package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	proof        = regexp.MustCompile("`([a-z]+)\\.((?:Test|Fuzz)[A-Za-z0-9]+)`")
	proofBySteps = regexp.MustCompile("`(harness/selftest/testdata/([a-z-]+)/[^`]+)`")
)

// TestFalseGreensAreProved demands of each row that it names tests of the tree, or says `open`.
func TestFalseGreensAreProved(t *testing.T) {
	const page = "docs/FALSE-GREENS.md"
	_, table, found := strings.Cut(read(t, filepath.FromSlash(page)), "|---|---|---|\n")
	if !found {
		t.Fatalf("%s has no table", page)
	}
	rows, open := 0, 0
	for _, row := range strings.Split(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 3 {
			t.Errorf("%s: a row has %d cells, not 3: %s", page, len(cells), row)
			continue
		}
		rows++
		if cells[2] == "open" {
			open++
			continue
		}
		proofs := proof.FindAllStringSubmatch(cells[2], -1)
		if len(proofs) == 0 {
			t.Errorf("%s: no test is named, and it is not `open`: %s", page, cells[0])
		}
		for _, named := range proofs {
			if !testExists(t, named[1], named[2]) {
				t.Errorf("%s: %s.%s is not in the tree: name the test that proves %q, or say open",
					page, named[1], named[2], cells[0])
			}
		}
		for _, named := range proofBySteps.FindAllStringSubmatch(cells[2], -1) {
			if !selftestRuns(t, named[2]) {
				t.Errorf("%s: no test of harness/selftest runs the folder %s", page, named[2])
			}
			if _, err := os.Stat(filepath.Join(moduleRoot(t), filepath.FromSlash(named[1]))); err != nil {
				t.Errorf("%s: what is to prove %q is not there: %v", page, cells[0], err)
			}
		}
	}
	t.Logf("%d of %d rows are open", open, rows)
}

// packageFolder finds the folder of a package of the project by its name.
func packageFolder(t *testing.T, name string) (string, bool) {
	t.Helper()
	for _, parent := range []string{"harness", "internal", "."} {
		folder := filepath.Join(moduleRoot(t), parent, name)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder, true
		}
	}
	return "", false
}

func testExists(t *testing.T, name, test string) bool {
	t.Helper()
	folder, found := packageFolder(t, name)
	return found && declares(t, folder, regexp.MustCompile(`(?m)^func `+test+`\(`))
}

func selftestRuns(t *testing.T, folder string) bool {
	t.Helper()
	tests := filepath.Join(moduleRoot(t), "harness", "selftest")
	return declares(t, tests, regexp.MustCompile(`["/]`+regexp.QuoteMeta(folder)+`["/]`))
}
