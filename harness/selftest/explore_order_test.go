package selftest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const besides = explorable + "/beside"

// TestExploreOrders tries the orders of workers that run beside each other. Those who look before
// they write are found to write twice, and not those who take a lock first. The finding shows the
// same alone, every time.
func TestExploreOrders(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	folders := map[string]string{out: "OUT"}
	var text strings.Builder
	for _, each := range []struct {
		arguments []string
		status    int
	}{
		{[]string{"locked.yaml", "--interleave"}, 0},
		{[]string{"racing.yaml", "--interleave"}, 1},
		{[]string{"racing.yaml", "--interleave", "--full"}, 1},
		{[]string{"racing.yaml", "--interleave", "--orders", "2"}, 1},
		{[]string{"sequel.yaml", "--together", "w1,w3"}, 1},
		{[]string{"sequel.yaml", "--interleave"}, 2},
		{[]string{"sequel.yaml", "--together", "w1,w9"}, 2},
		{[]string{"sequel.yaml", "--together", "w1"}, 2},
		{[]string{"alone.yaml", "--interleave"}, 2},
		{[]string{"racing.yaml", "--interleave", "--orders", "0"}, 2},
	} {
		arguments := append([]string{"explore", "--out", out, besides + "/" + each.arguments[0]},
			each.arguments[1:]...)
		text.WriteString(call(t, arguments...).expectStatus(t, each.status).String())
	}
	file := filepath.Join(out, "beside", "racing-order-w1-2-w2-1.yaml")
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text.WriteString("--- " + file + "\n" + string(written))
	golden(t, "explore-orders", normal(text.String(), folders))
	expectShown(t, file, "FAIL notes (expected=[[here]], actual=[[here], [here]])")
}

// TestExploreOrdersRepeats tries the orders three times, with other numbers of runs at once, and
// goes on with the last: the same are tried, and come to the same.
func TestExploreOrdersRepeats(t *testing.T) {
	t.Parallel()
	var outcomes []string
	out := t.TempDir()
	for _, flags := range [][]string{
		{"--parallel", "1", "--out", t.TempDir()}, {"--parallel", "3", "--out", t.TempDir()},
		{"--seed", "9", "--parallel", "4", "--out", out}, {"--resume", out},
	} {
		o := call(t, append([]string{"explore", besides + "/racing.yaml", "--interleave"},
			flags...)...).expectStatus(t, 1)
		outcomes = append(outcomes, outcomeOf(t, o))
	}
	if len(slices.Compact(slices.Clone(outcomes))) != 1 {
		t.Errorf("four explorations came to %v, want one outcome", outcomes)
	}
}

var tenSound = regexp.MustCompile(`(?m)^  explored=\d\d+ of .*, violations=0, inconclusive=0$`)

// TestExploreOrdersOfShippedSystems finds nothing in the orders of two claims, two publishers and
// two consumers as they stand. What it finds without their locks, TestExploreFinds tells.
func TestExploreOrdersOfShippedSystems(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it explores whole systems")
	}
	most := "10"
	if long() {
		most = "100"
	}
	arguments := []string{"explore", "--interleave", "--orders", most, "--out", t.TempDir()}
	for _, each := range []struct{ system, fact, steps string }{
		{"dispatcher", "states", `
  - sql: {run: "insert into channel_pref values ('u1', 'sms', '+1-555-0100')"}
  - run: {program: create, args: {user: u1, event: ord-1001}}
  - start: {program: work, as: [w1, w2]}
`},
		{"outbox", "ledger", `
  - run: {program: accept}
  - start: {program: publish, as: [p1, p2]}
  - wait: {worker: [p1, p2]}
  - run: {program: consume-all}
`},
		{"outbox", "ledger", `
  - sql:
      database: queue
      run: |
        insert into delivery (msg_id, payload)
        select 'M1', '{"contract": "R1", "amount": 25}' from generate_series(1, 2)
  - start: {program: consume, as: [c1, c2]}
`},
	} {
		arguments = append(arguments, beside(t, each.system, each.fact, each.steps))
	}
	o := call(t, arguments...).expectStatus(t, 0)
	parts := strings.Split(o.stdout, "EXPLORE ")[1:]
	if len(parts) != 3 {
		t.Fatalf("want three explorations:\n%s", o.stdout)
	}
	for _, part := range parts {
		if !tenSound.MatchString(part) {
			t.Errorf("want at least 10 orders, and nothing found:\n%s", part)
		}
	}
}

// beside writes a scenario of a system that ships into a folder of its own. It expects one row of a
// fact.
func beside(t *testing.T, system, fact, steps string) string {
	t.Helper()
	folder := t.TempDir()
	file, err := filepath.Abs(filepath.Join("..", "..", "scenarios", system, "system.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, filepath.Join(folder, "system.yaml")); err != nil {
		t.Fatal(err)
	}
	source := "scenario: two\ntitle: a workload\nsystem: " + system + "\nsteps:" + steps +
		"expect:\n  - check: {fact: " + fact + ", count: 1}\n"
	if err := os.WriteFile(filepath.Join(folder, "two.yaml"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}
