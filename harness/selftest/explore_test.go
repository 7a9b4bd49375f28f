package selftest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const explorable = "testdata/explore"

var (
	outcomeLine = regexp.MustCompile(`(?m)^  outcome=([0-9a-f]+)$`)
	exploredOf  = regexp.MustCompile(`(?m)^explored=(\d+) of (\d+) \(pruned (\d+)\), ` +
		`violations=(\d+), inconclusive=(\d+)\n\z`)
)

// TestExplore tries a fault at every place of a worker that sends without asking. Where the other
// side knows the key nothing is found, and where it does not, each place is. The finding that is
// written shows the same alone, every time.
func TestExplore(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	folders := map[string]string{out: "OUT"}
	honest := call(t, "explore", explorable+"/push.yaml", "--out", out).expectStatus(t, 0)
	if left := foundIn(t, out); len(left) > 0 {
		t.Errorf("nothing was found, and %v was written", left)
	}
	faulty := call(t, "explore", explorable+"/sms.yaml", "--out", out).expectStatus(t, 1)
	file := filepath.Join(out, "explore", "sms-kill-deliver.1-sms-1-response.yaml")
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "explore", normal(honest.String()+faulty.String()+
		"--- "+file+"\n"+string(written), folders))
	const witness = "FAIL sms sends (expected=1, actual=2)"
	for range 5 {
		alone := call(t, file).expectStatus(t, 1)
		if !strings.Contains(alone.stdout, witness) {
			t.Fatalf("run alone, the finding does not show %q:\n%s", witness, alone.stdout)
		}
	}
}

// TestExploreRepeats makes one exploration three times, in other orders and with other numbers of
// runs at once: what every run comes to is the same.
func TestExploreRepeats(t *testing.T) {
	t.Parallel()
	var outcomes []string
	for _, flags := range [][]string{
		{"--parallel", "4"}, {"--seed", "7", "--parallel", "2"}, {"--seed", "8", "--parallel", "1"},
	} {
		o := call(t, append([]string{"explore", "--no-shrink", explorable + "/sms.yaml", "--out",
			t.TempDir()},
			flags...)...).expectStatus(t, 1)
		found := outcomeLine.FindStringSubmatch(o.stdout)
		if found == nil {
			t.Fatalf("no outcome is printed:\n%s", o.stdout)
		}
		outcomes = append(outcomes, found[1])
	}
	if outcomes[0] != outcomes[1] || outcomes[0] != outcomes[2] {
		t.Errorf("three explorations came to %v, want one outcome", outcomes)
	}
}

// TestExploreRefuses refuses what can't be explored, and says what to do. That nothing was explored
// is no pass.
func TestExploreRefuses(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	var text strings.Builder
	for _, each := range []struct {
		arguments []string
		status    int
	}{
		{[]string{explorable + "/idle.yaml"}, 2},
		{[]string{explorable + "/without"}, 2},
		{[]string{explorable + "/endless.yaml"}, 3},
		{[]string{explorable + "/reads.yaml"}, 3},
		{[]string{explorable + "/push.yaml", "--advance", "0s"}, 2},
		{[]string{explorable + "/push.yaml", "--shard", "3/2"}, 2},
		{[]string{explorable + "/push.yaml", "--expect", "testdata/explore/system.yaml"}, 2},
		{[]string{explorable + "/push.yaml", "--expectations"}, 0},
	} {
		arguments := append([]string{"explore"}, each.arguments...)
		o := call(t, append(arguments, "--out", out)...).expectStatus(t, each.status)
		text.WriteString(o.String())
	}
	golden(t, "explore-refuses", normal(text.String(), map[string]string{out: "OUT"}))
	chance := call(t, "explore", explorable+"/chance.yaml", "--out", out).expectStatus(t, 3)
	for _, want := range []string{"\n- toss.1 ", "\n+ toss.1 ", "what would make it repeat"} {
		if !strings.Contains(chance.stdout, want) {
			t.Errorf("two recordings that differ: nothing says %q:\n%s", want, chance.stdout)
		}
	}
}

// TestExploreInert proves nothing where nobody had to recover: all that was tried came after the
// only write. Where something was lost, and written again, it does.
func TestExploreInert(t *testing.T) {
	t.Parallel()
	const inert = "  inconclusive: recovery wrote nothing after any fault: it was not put to the " +
		"test\n"
	for faults, status := range map[string]int{"at keep.1 keep#1 response": 3, "kill at keep.1": 0} {
		o := call(t, "explore", explorable+"/keep.yaml", "--out", t.TempDir(), "--at", faults)
		o.expectStatus(t, status)
		if told := strings.Contains(o.stdout, inert); told != (status == 3) {
			t.Errorf("--at %q: that recovery wrote nothing is told: %t\n%s", faults, told, o.stdout)
		}
	}
}

// TestExploreShards makes sure that the parts of an exploration are the whole, and that what is
// expected is no failure, what is new is one, and what is gone is told.
func TestExploreShards(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"1/2", "2/2"} {
		o := call(t, "explore", "--no-shrink", explorable+"/sms.yaml", "--out", t.TempDir(),
			"--shard", part)
		o.expectStatus(t, 1)
		found := exploredOf.FindStringSubmatch(o.stdout)
		if found == nil || found[1] != "10" || found[2] != "36" {
			t.Fatalf("--shard %s: want 10 of 36 explored:\n%s", part, o.stdout)
		}
	}
	expected := filepath.Join(t.TempDir(), "known.txt")
	keys := "sms: sms sends | kill | sms\nsms: sms sends | lost-reply | sms\n" +
		"sms: sms sends | kill | mark\nsms: sms sends | 503 | sms\n" +
		"sms: sms sends | fail-40001 | mark\n"
	for _, each := range []struct {
		keys   string
		status int
		says   string
	}{
		{keys + "sms: sms sends | sever | mark\n", 0, "known sms: sms sends | sever | mark"},
		{keys, 1, "NEW   sms: sms sends | sever | mark"},
		{keys + "sms: sms sends | sever | mark\nsms: letters | kill | take\n", 0,
			"GONE sms: letters | kill | take"},
	} {
		if err := os.WriteFile(expected, []byte(each.keys), 0o644); err != nil {
			t.Fatal(err)
		}
		o := call(t, "explore", "--no-shrink", explorable+"/sms.yaml", "--out", t.TempDir(),
			"--expect", expected)
		if o.expectStatus(t, each.status); !strings.Contains(o.stdout, each.says) {
			t.Errorf("nothing says %q:\n%s", each.says, o.stdout)
		}
	}
}

// TestExploreShipped finds the damage of defects in the systems that ship, and nothing but stated
// limits in the dispatcher as it stands.
func TestExploreShipped(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it explores whole systems")
	}
	known := filepath.Join("..", "..", "scenarios", "dispatcher", "known-findings.txt")
	for _, each := range []struct {
		arguments []string
		status    int
		finds     string
	}{
		{[]string{"dispatcher/P1.yaml"}, 0, "explored=24 of 213 (pruned 189), violations=0"},
		{[]string{"dispatcher/P1-sms.yaml", "--expect", known}, 0,
			"known P1-sms: sms sends | stop | commit\n"},
		{[]string{"dispatcher/P1-sms.yaml", "--variant", "blind-resend"}, 1,
			"FOUND P1-sms: sms sends | kill | sms\n"},
		{[]string{"outbox/OK.yaml", "--variant", "mark-before-send"}, 1,
			"FOUND OK: ledger | kill | commit\n"},
	} {
		arguments := append([]string{"explore", "--no-shrink", "--out", t.TempDir()}, each.arguments...)
		arguments[4] = filepath.Join("..", "..", "scenarios", arguments[4])
		o := call(t, arguments...).expectStatus(t, each.status)
		if !strings.Contains(o.stdout, each.finds) {
			t.Errorf("%v: nothing says %q:\n%s", each.arguments, each.finds, o.stdout)
		}
	}
}
