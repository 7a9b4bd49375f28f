package selftest

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var knownFindings = filepath.Join("..", "..", "scenarios", "dispatcher", "known-findings.txt")

// TestExploreFinds finds by itself what the negative controls of the three systems show, each in
// its own workload without the faults that it names, and nothing but stated limits in the systems
// as they stand. --at keeps each of them small; without it more comes of the same, and takes
// minutes. RN-E and RN-F are contracts that nobody can use: no worker comes to an event.
func TestExploreFinds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it explores whole systems")
	}
	for _, each := range []struct {
		scenarios string // of one system
		flags     []string
		status    int
		finds     []string
	}{
		// B3 and NC3 take a second fault.
		{"dispatcher: B3", append(twice("(lost-reply|503) at w[12].1"), "--variant", "pre-fix-503"), 1,
			[]string{"B3: nothing in doubt is called failed | lost-reply + 503 | push + push"}},
		{"dispatcher: B3", append(twice("(lost-reply|503) at w[12].1"), "--expect", knownFindings), 0,
			nil},
		{"dispatcher: P1", append(twice("(stop at w-p1-a.1 commit#1|503 at .*) re"), "--variant",
			"finish-by-id"), 1, []string{"P1: what was accepted stays sent | stop + 503 | commit + push"}},
		{"dispatcher: P1", twice("(stop at w-p1-a.1 commit#1|503 at .*) re"), 0, nil},
		{"dispatcher: NC2", at("kill at"), 1, []string{"NC2: sms sends | kill | sms"}},
		{"dispatcher: NC1", orders(8), 1, []string{"NC1: sms sends | order | w1 + w2"}},
		{"outbox: ONC1 ONC2 ONC3", at("kill at (publish|consume).1"), 1, []string{
			"ONC1: ledger | kill | commit",
			"ONC2: ledger | kill | commit\n        safety: ledger (expected=[[contracts, 25]], " +
				"actual=[[contracts, 50]])",
			"ONC3: inbox and ledger agree | kill | commit",
		}},
		{"relay: RN-0 RN-A RN-B RN-C RN-D RN-H", at("none|kill at push.1 commit#12 response|" +
			"hang-up at run.1 sink#1 "), 1, []string{
			"RN-0: sink sends | hang-up | sink",
			"RN-A: nothing is admitted against the contract | no fault | no fault",
			"RN-B: the queue is as large as asked for | no fault | no fault",
			"RN-C: what is written lies in the queue | no fault | no fault",
			"RN-D: no tenant is over its limit | kill | commit",
			"RN-H: nothing is parked in the end | no fault | no fault",
		}},
		// RN-I; its own workload lets two workers race, and is refused.
		{"relay: LOST", append(at("stop at run.1 sink#1"), "--variant", "ack-counted-each-time"), 1,
			[]string{"LOST: what is acked is counted once | stop | sink"}},
		{"relay: LOST", unlessLong("--at", "(stop|hang-up) at run.1 sink#1"), 0, nil},
		{"relay: RN-G", orders(8), 1,
			[]string{"RN-G: no tenant is over its limit | order | one + other"}},
		{"relay: GATE-two", orders(8), 0, nil},
	} {
		system, names, _ := strings.Cut(each.scenarios, ": ")
		arguments := []string{"explore", "--out", t.TempDir(), "--no-shrink"}
		for _, name := range strings.Fields(names) {
			arguments = append(arguments, filepath.Join("..", "..", "scenarios", system, name+".yaml"))
		}
		o := call(t, append(arguments, each.flags...)...).expectStatus(t, each.status)
		for _, finding := range each.finds {
			if !strings.Contains(o.stdout, "  FOUND "+finding+"\n") {
				t.Errorf("%s: nothing says FOUND %s:\n%s", each.scenarios, finding, o.stdout)
			}
		}
	}
}

// at chooses single faults, twice also pairs of them, and orders so many orders of workers.
func at(faults string) []string    { return []string{"--at", faults} }
func twice(faults string) []string { return []string{"--at", faults, "--faults", "2"} }

func orders(most int) []string {
	return []string{"--interleave", "--orders", strconv.Itoa(most)}
}

// TestExploreShipped finds nothing in the dispatcher, the outbox and the relay as they stand but
// stated limits.
func TestExploreShipped(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it explores whole systems")
	}
	o := call(t, "explore", "--no-shrink", "--out", t.TempDir(), "--expect", knownFindings,
		"../../scenarios/dispatcher/P1.yaml", "../../scenarios/dispatcher/P1-sms.yaml",
		"../../scenarios/outbox/OK.yaml").expectStatus(t, 0)
	for _, want := range []string{
		"explored=24 of 213 (pruned 189), violations=0, inconclusive=0\n",
		"known P1-sms: sms sends | stop | commit\n",
		"explored=28 of 393 (pruned 365), violations=0, inconclusive=0\n",
	} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("nothing says %q:\n%s", want, o.stdout)
		}
	}
}
