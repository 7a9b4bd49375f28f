package selftest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var recordedID = regexp.MustCompile(`"outcome":\{"id":"([^"]+)"`)

// TestExploreWalk walks at random twice by one seed, with other numbers of runs at once: the budget
// cuts the walk, and the schedules up to there are the same.
func TestExploreWalk(t *testing.T) {
	t.Parallel()
	var walks [][]string
	for _, flags := range [][]string{
		{"--budget", "1s", "--parallel", "1"}, {"--budget", "6s", "--parallel", "4"},
	} {
		out := t.TempDir()
		o := call(t, append([]string{"explore", explorable + "/sms.yaml", "--seed", "3", "--out", out},
			flags...)...).expectStatus(t, 1)
		if want := "note a random walk of seed 3\n"; !strings.Contains(o.stdout, want) {
			t.Errorf("nothing says %q:\n%s", want, o.stdout)
		}
		records, err := os.ReadFile(filepath.Join(out, "explore", "sms.records.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, found := range recordedID.FindAllStringSubmatch(string(records), -1) {
			ids = append(ids, found[1])
		}
		walks = append(walks, ids)
	}
	short, long := walks[0], map[string]bool{}
	for _, id := range walks[1] {
		long[id] = true
	}
	if len(short) < 8 || len(walks[1]) < len(short) {
		t.Fatalf("walks of %d and %d schedules, want a short one of at least 8", len(short), len(long))
	}
	for _, id := range short {
		if !long[id] {
			t.Errorf("only the walk of 1 s has tried %q", id)
		}
	}
	call(t, "explore", explorable+"/sms.yaml", "--budget", "-1s", "--out", t.TempDir()).
		expectStatus(t, 2)
}
