package selftest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

const selectable = "testdata/selection"

// cases are the names of the scenarios that a run printed, in order.
func (o outcome) cases() []string {
	var names []string
	for _, line := range strings.Split(o.stdout, "\n") {
		if rest, found := strings.CutPrefix(line, "CASE "); found {
			name, _, _ := strings.Cut(rest, " :: ")
			names = append(names, name)
		}
	}
	return names
}

// TestSelection chooses among scenarios: each flag picks what it says, in the order of the files.
func TestSelection(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, each := range []struct {
		arguments []string
		status    int
		want      string
	}{
		{[]string{"--run", "^a"}, 1, "a1 a2 a10"},
		{[]string{"--tag", "slow"}, 0, "a11"},
		{[]string{"--tag", "quick", "--tag", "slow"}, 1, "a2 a11 a12"},
		{[]string{"--run", "^a", "--shard", "1/2"}, 0, "a1 a10"},
		{[]string{"--run", "^a", "--shard", "2/2"}, 1, "a2"},
		{[]string{"--run", "words=hi,status=1"}, 0, "m[words=hi,status=1]"},
		{[]string{"--fail-fast", "--parallel", "1", "--run", "^a"}, 1, "a1 a2"},
	} {
		o := call(t, append([]string{"run", selectable}, each.arguments...)...)
		o.expectStatus(t, each.status)
		if got := strings.Join(o.cases(), " "); got != each.want {
			t.Errorf("%v: ran %q, want %q", each.arguments, got, each.want)
		}
		text.WriteString(o.String())
	}
	text.WriteString(call(t, "run", selectable+"/a11.yaml").expectStatus(t, 0).String())
	text.WriteString(call(t, "list", selectable).expectStatus(t, 0).String())
	text.WriteString(call(t, "lint", "testdata/database").expectStatus(t, 0).String())
	text.WriteString(call(t, "lint", "--strict", "testdata/database").expectStatus(t, 1).String())
	golden(t, "selection", normal(text.String(), nil))
}

// TestShuffle makes sure that a seed gives one order, and another seed another.
func TestShuffle(t *testing.T) {
	t.Parallel()
	order := func(arguments ...string) []string {
		o := call(t, append([]string{"run", selectable, "--shuffle"}, arguments...)...)
		o.expectStatus(t, 1)
		if !regexp.MustCompile(`--shuffle --seed \d+`).MatchString(o.stderr) {
			t.Errorf("the seed is not told:\n%s", o)
		}
		return o.cases()
	}
	first, again, other := order("--seed", "7"), order("--seed", "7"), order("--seed", "8")
	if !slices.Equal(first, again) {
		t.Errorf("one seed, two orders: %v and %v", first, again)
	}
	if slices.Equal(first, other) {
		t.Errorf("two seeds, one order: %v", first)
	}
	if len(order()) != len(first) {
		t.Error("shuffling without a seed loses scenarios")
	}
}

// TestParallelismChangesNothing makes sure that the output is the same bytes, however many
// scenarios run at once.
func TestParallelismChangesNothing(t *testing.T) {
	t.Parallel()
	one := call(t, "run", "--parallel", "1", selectable)
	eight := call(t, "run", "--parallel", "8", selectable)
	if normal(one.stdout, nil) != normal(eight.stdout, nil) {
		t.Errorf("--parallel 1 prints\n%s\n--parallel 8 prints\n%s", one.stdout, eight.stdout)
	}
}
