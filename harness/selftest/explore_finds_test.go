package selftest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExploreFinds finds what the negative controls of the three systems show, by itself, and
// nothing but stated limits in the systems as they stand. --at keeps each of them small; without it
// more comes of the same, and takes minutes. Others are found elsewhere: NC1 and RN-G, which take
// an order of workers, by TestExploreOrdersOfShippedSystems, and NC2 by TestExploreShipped. RN-E
// and RN-F are contracts that nobody can use: no worker comes to an event.
func TestExploreFinds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it explores whole systems")
	}
	known := filepath.Join("..", "..", "scenarios", "dispatcher", "known-findings.txt")
	for _, each := range []struct {
		scenario, variant string
		more              []string
		status            int
		finds             string
	}{
		// B3 and NC3 take a second fault.
		{"dispatcher/B3", "pre-fix-503", twice("(lost-reply|503) at w[12].1"), 1,
			"FOUND B3: nothing in doubt is called failed | lost-reply + 503 | push + push\n"},
		{"dispatcher/B3", "", append(twice("(lost-reply|503) at w[12].1"), "--expect", known), 0,
			"explored=13 of 13 (pruned 0), violations=9, inconclusive=0\n"},
		{"dispatcher/P1", "finish-by-id", twice("(stop at w-p1-a.1 commit#1|503 at .*) re"), 1,
			"FOUND P1: what was accepted stays sent | stop + 503 | commit + push\n"},
		{"dispatcher/P1", "", twice("(stop at w-p1-a.1 commit#1|503 at .*) re"), 0,
			"violations=0, inconclusive=0\n"},
		// ONC1 to ONC3.
		{"outbox/OK", "mark-before-send", at("kill at publish.1"), 1,
			"FOUND OK: ledger | kill | commit\n"},
		{"outbox/OK", "inbox-in-memory", at("kill at consume.1"), 1,
			"safety: ledger (expected=[[contracts, 25]], actual=[[contracts, 50]])\n"},
		{"outbox/OK", "two-transactions", at("kill at consume.1"), 1,
			"FOUND OK: inbox and ledger agree | kill | commit\n"},
		// The relay's; RN-0 and RN-I are the two after the first, with the workload of LOST.
		{"relay/LOST", "", at("(stop|hang-up) at run.1 sink#1"), 0, "violations=0, inconclusive=0\n"},
		{"relay/LOST", "sent-is-caught", at("hang-up at run.1 sink#1"), 1,
			"FOUND LOST: sink sends | hang-up | sink\n"},
		{"relay/LOST", "ack-counted-each-time", at("stop at run.1 sink#1"), 1,
			"FOUND LOST: what is acked is counted once | stop | sink\n"},
		{"relay/RN-A", "", at("none"), 1,
			"FOUND RN-A: nothing is admitted against the contract | no fault | no fault\n"},
		{"relay/RN-B", "", at("none"), 1,
			"FOUND RN-B: the queue is as large as asked for | no fault | no fault\n"},
		{"relay/RN-C", "", at("none"), 1,
			"FOUND RN-C: what is written lies in the queue | no fault | no fault\n"},
		{"relay/RN-D", "", at("kill at push.1 commit#12 response"), 1,
			"FOUND RN-D: no tenant is over its limit | kill | commit\n"},
		{"relay/RN-H", "", at("none"), 1,
			"FOUND RN-H: nothing is parked in the end | no fault | no fault\n"},
	} {
		arguments := append([]string{
			"explore", filepath.Join("..", "..", "scenarios", each.scenario+".yaml"),
			"--out", t.TempDir(),
		}, each.more...)
		if each.variant != "" {
			arguments = append(arguments, "--variant", each.variant)
		}
		o := call(t, arguments...).expectStatus(t, each.status)
		if !strings.Contains(o.stdout, each.finds) {
			t.Errorf("%v: nothing says %q:\n%s", arguments, each.finds, o.stdout)
		}
	}
}

// at chooses single faults, twice also pairs of them.
func at(faults string) []string    { return []string{"--at", faults} }
func twice(faults string) []string { return []string{"--at", faults, "--faults", "2"} }
