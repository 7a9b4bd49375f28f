package selftest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walkedIn are the runs that a walk has recorded, in its order, each with what the hash of an
// exploration takes of it.
func walkedIn(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for line := range bytes.Lines(text) {
		var record struct {
			Outcome struct {
				ID        string
				Verdict   json.RawMessage
				Witnesses json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if o := record.Outcome; o.ID != "" {
			runs = append(runs, o.ID+" "+string(o.Verdict)+string(o.Witnesses))
		}
	}
	return runs
}

// TestExploreWalk walks at random twice by one seed, with other numbers of runs at once: the budget
// cuts the walks, and as far as both got they have made the same runs, which came to the same. One
// that is gone on with has lost and repeated nothing. A walk has no end, and is not merged.
func TestExploreWalk(t *testing.T) {
	t.Parallel()
	walk := func(folder string, flags ...string) []string {
		t.Helper()
		o := call(t, append([]string{"explore", explorable + "/sms.yaml", "--seed", "3", "--no-shrink"},
			flags...)...).expectStatus(t, 1)
		if want := "note a random walk of seed 3\n"; !strings.Contains(o.stdout, want) {
			t.Errorf("nothing says %q:\n%s", want, o.stdout)
		}
		return walkedIn(t, recordsOf(folder))
	}
	one, other := t.TempDir(), t.TempDir()
	first := walk(one, "--out", one, "--budget", "1s", "--parallel", "1")
	further := walk(one, "--resume", one, "--budget", "3s")
	if len(further) < len(first) || !slices.Equal(further[:len(first)], first) {
		t.Errorf("gone on, it has made %v, and had made %v", further, first)
	}
	// Only the first of its runs are compared: both are cut where all of a batch are done.
	again := walk(other, "--out", other, "--budget", "3s", "--parallel", "4")
	both := min(len(further), len(again))
	if both < 8 || !sameSet(further[:both], again[:both]) {
		t.Errorf("as far as both got, one walk came to\n%s\nand the other to\n%s",
			strings.Join(further[:both], "\n"), strings.Join(again[:both], "\n"))
	}
	if slices.Sort(further); len(slices.Compact(slices.Clone(further))) != len(further) {
		t.Errorf("gone on, it has made a run twice:\n%s", strings.Join(further, "\n"))
	}
	merged := call(t, "merge", "--out", t.TempDir(), one, other).expectStatus(t, 2)
	if want := "is of a random walk"; !strings.Contains(merged.stderr, want) {
		t.Errorf("nothing says %q:\n%s", want, merged)
	}
	call(t, "explore", explorable+"/sms.yaml", "--budget", "-1s", "--out", t.TempDir()).
		expectStatus(t, 2)
}

// TestExploreWalkOfOrders walks through orders of workers at random, until all have been tried: it
// finds what the plan finds, and the same seed comes to the same.
func TestExploreWalkOfOrders(t *testing.T) {
	t.Parallel()
	var outcomes []string
	for _, flags := range [][]string{
		{"--seed", "2", "--parallel", "1"}, {"--seed", "2", "--parallel", "4"}, {"--seed", "3"},
	} {
		out := t.TempDir()
		o := call(t, append([]string{"explore", besides + "/racing.yaml", "--interleave", "--full",
			"--budget", "10m", "--out", out}, flags...)...).expectStatus(t, 1)
		for _, want := range []string{
			"  note a random walk of seed " + flags[1] + " through orders of w1, w2\n",
			"  FOUND racing: notes | order | w1 + w2\n",
		} {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("nothing says %q:\n%s", want, o.stdout)
			}
		}
		if runs := walkedIn(t, filepath.Join(out, "beside", "racing.records.jsonl")); len(runs) != 20 {
			t.Errorf("%d orders were tried, want all 20:\n%s", len(runs), o.stdout)
		}
		outcomes = append(outcomes, outcomeOf(t, o))
	}
	if outcomes[0] != outcomes[1] || outcomes[0] == outcomes[2] {
		t.Errorf("walks of seeds 2, 2 and 3 came to %v, want the same, the same and another", outcomes)
	}
}

// TestExploreSharesOrders shares groups of workers out, those of all scenarios together: the parts
// are the whole. More parts than groups are refused, and a bound that no part knows.
func TestExploreSharesOrders(t *testing.T) {
	t.Parallel()
	files := []string{besides + "/locked.yaml", besides + "/racing.yaml"}
	explore := func(status int, flags ...string) outcome {
		t.Helper()
		return call(t, append(append([]string{"explore"}, files...), flags...)...).
			expectStatus(t, status)
	}
	whole, merged := t.TempDir(), t.TempDir()
	want := explore(1, "--interleave", "--out", whole)
	var parts []string
	for i, shard := range []string{"1/2", "2/2"} {
		out := t.TempDir()
		o := explore(i, "--interleave", "--shard", shard, "--out", out)
		if want := "  note the orders of its workers are another shard's\n"; strings.Count(o.stdout,
			want) != 1 {
			t.Errorf("shard %s does not say once %q:\n%s", shard, want, o.stdout)
		}
		parts = append(parts, out)
	}
	got := call(t, append([]string{"merge", "--out", merged}, parts...)...).expectStatus(t, 1)
	if shown := strings.ReplaceAll(got.stdout, merged, whole); shown != want.stdout {
		t.Errorf("merged:\n%s\nwhole:\n%s", shown, want.stdout)
	}
	for want, flags := range map[string][]string{
		"and there are 2 here":           {"--interleave", "--shard", "1/3"},
		"the bound is of all schedules,": {"--faults", "2", "--most", "5", "--shard", "1/2"},
	} {
		o := explore(2, append(flags, "--out", t.TempDir())...)
		if !strings.Contains(o.stderr, want) || o.stdout != "" {
			t.Errorf("%v: it does not say %q, and only that:\n%s", flags, want, o)
		}
	}
}
