package explore

import (
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/event"
)

// TestKinds tells how a check fails: too much is another finding than too little.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ statement, kind string }{
		{"sms sends (expected=1, actual=2)", "c: more"},
		{"sms sends (expected=1, actual=0)", "c: less"},
		{"ledger (expected=[[contracts, 25]], actual=[])", "c: less"},
		{"ledger (expected=[], actual=[[a, 1], [b, 2]])", "c: more"},
		{`ledger (expected=[["a, b", 1]], actual=[["a", 1]])`, "c: other"},
		{"task state (expected=SENT, actual=FAILED)", "c: other"},
	} {
		if kind := (witness{Check: "c", Statement: each.statement}).kind(); kind != each.kind {
			t.Errorf("%s is %q, want %q", each.statement, kind, each.kind)
		}
	}
}

// TestSmallerValues are those of whole numbers and durations, and of nothing else.
func TestSmallerValues(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"640": {"1", "320"}, "2": {"1"}, "1": nil, "0": nil, "30s": {"1s", "15s"}, "1s": nil,
		"2m": {"1s", "1m0s"}, "push": nil, "'7'": nil, "-4": nil,
	} {
		var node yaml.Node
		if err := yaml.Unmarshal([]byte(value), &node); err != nil {
			t.Fatal(err)
		}
		if got := smallerValues(node.Content[0]); !slices.Equal(got, want) {
			t.Errorf("smaller than %s: %q, want %q", value, got, want)
		}
	}
}

// TestSmallerWorkloads leaves out all that is not of the workers, and then each step once, with the
// wait for what it starts, and moves the lives of workers whose earlier life has gone.
func TestSmallerWorkloads(t *testing.T) {
	t.Parallel()
	w := &workload{items: []item{
		{step: step("advance")},
		{launch: &launch{program: "p", names: []string{"a", "b"}, goesOn: true}},
		{wait: []string{"a", "b"}},
		{launch: &launch{program: "p", names: []string{"a"}}},
	}}
	less := w.smaller([]string{"a", "b"})
	if len(less) != 4 {
		t.Fatalf("%d smaller ones, want 4", len(less))
	}
	for i, want := range []int{3, 3, 2, 3} {
		if got := len(less[i].workload.items); got != want {
			t.Errorf("%s: there are %d items, want %d", less[i].by, got, want)
		}
	}
	moved := schedule{faults: []fault{
		{address: event.Address{Worker: "a", Incarnation: 2}},
		{address: event.Address{Worker: "b", Incarnation: 1}},
	}}.moved(less[2].moves)
	if moved.faults[0].address.Incarnation != 1 || moved.faults[1].address.Incarnation != 1 {
		t.Errorf("without the first life of a: %s", moved)
	}
	if len(w.items) != 4 {
		t.Error("the workload itself has changed")
	}
}
