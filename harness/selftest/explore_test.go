package selftest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const explorable = "testdata/explore"

var outcomeLine = regexp.MustCompile(`(?m)^  outcome=([0-9a-f]+)$`)

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
	faulty := exploredSMS(t)
	folders[faulty.folder] = "OUT"
	file := filepath.Join(faulty.folder, "explore", "sms-kill-deliver.1-sms-1-response.yaml")
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "explore", normal(honest.String()+faulty.String()+
		"--- "+file+"\n"+string(written), folders))
	expectShown(t, file, "FAIL sms sends (expected=1, actual=2)")
}

// TestExploreRepeats makes one exploration three times, in other orders and with other numbers of
// runs at once: what every run comes to is the same. What is expected is no failure, what is new is
// one, and what is gone is told.
func TestExploreRepeats(t *testing.T) {
	t.Parallel()
	expected := filepath.Join(t.TempDir(), "known.txt")
	keys := "sms: sms sends | kill | sms\nsms: sms sends | lost-reply | sms\n" +
		"sms: sms sends | kill | mark\nsms: sms sends | 503 | sms\n" +
		"sms: sms sends | fail-40001 | mark\n"
	outcomes := []string{outcomeOf(t, exploredSMS(t).outcome)}
	for _, each := range []struct {
		flags  []string
		keys   string
		status int
		says   []string
	}{
		{[]string{"--seed", "7", "--parallel", "2"}, keys + "sms: sms sends | sever | mark\n", 0,
			[]string{"known sms: sms sends | sever | mark"}},
		{[]string{"--seed", "8", "--parallel", "1"}, keys + "sms: letters | kill | take\n", 1,
			[]string{"NEW   sms: sms sends | sever | mark", "GONE sms: letters | kill | take"}},
	} {
		write(t, expected, each.keys)
		o := call(t, append([]string{"explore", "--no-shrink", explorable + "/sms.yaml", "--out",
			t.TempDir(), "--expect", expected}, each.flags...)...).expectStatus(t, each.status)
		for _, want := range each.says {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("nothing says %q:\n%s", want, o.stdout)
			}
		}
		outcomes = append(outcomes, outcomeOf(t, o))
	}
	if outcomes[0] != outcomes[1] || outcomes[0] != outcomes[2] {
		t.Errorf("three explorations came to %v, want one outcome", outcomes)
	}
}

// outcomeOf is the hash that an exploration prints.
func outcomeOf(t *testing.T, o outcome) string {
	t.Helper()
	found := outcomeLine.FindStringSubmatch(o.stdout)
	if found == nil {
		t.Fatalf("no outcome is printed:\n%s", o.stdout)
	}
	return found[1]
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
		{[]string{explorable + "/push.yaml", "--expectations", "--at", "push#1"}, 0},
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
