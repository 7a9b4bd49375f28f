package explore

import (
	"slices"
	"strings"
	"testing"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
)

// history numbers events as a gate does.
func history(parts ...[]event.Event) []event.Event {
	all := slices.Concat(parts...)
	for i := range all {
		all[i].Sequence = i + 1
	}
	return all
}

func ofWorker(name string, events []event.Event) []event.Event {
	for i := range events {
		events[i].Worker = name
	}
	return events
}

// second is the second batch of a plan whose single faults all came to what one function says.
func second(t *testing.T, options Options, without []event.Event,
	came func(schedule) outcome) (string, *faults) {
	t.Helper()
	plan := newFaults(placesOf(without), options)
	var done []outcome
	for _, each := range plan.next(nil) {
		done = append(done, came(each))
	}
	var lines []string
	for _, each := range plan.next(done) {
		lines = append(lines, each.String())
	}
	return strings.Join(lines, "\n"), plan
}

// TestPairs tries a second fault at each place that came after the first, in other workers too.
func TestPairs(t *testing.T) {
	t.Parallel()
	without := history(turn("update a", "", "mark"), call("push"))
	c := &campaign{options: Options{Faults: 2}, workload: &workload{}}
	passed := func(s schedule) outcome {
		return c.judge(s, result.Result{Verdict: check.Pass, History: without})
	}
	got, _ := second(t, Options{Faults: 2, At: "kill at w.1 mark#1 response|503|stop at w.1 push"},
		without, passed)
	want := `kill at w.1 mark#1 response, then 503 at w.1 push#1 request
kill at w.1 mark#1 response, then 503 at w.1 push#1 response
kill at w.1 mark#1 response, then stop at w.1 push#1 response
503 at w.1 push#1 request, then stop at w.1 push#1 response`
	if got != want {
		t.Errorf("second batch:\n%s\nwant:\n%s", got, want)
	}
	if got, _ := second(t, Options{At: "kill|503"}, without, passed); got != "" {
		t.Errorf("with one fault in each run there is a second batch:\n%s", got)
	}
}

// TestPairsAreLeftOut leaves out what follows a run that went wrong already, and what another
// worker does that the first fault did not touch, and counts both. Beyond the bound, some are
// taken.
func TestPairsAreLeftOut(t *testing.T) {
	t.Parallel()
	other := ofWorker("x", turn("update b", "", "mark"))
	without := history(turn("update a", "", "mark"), other)
	touched := slices.Clone(without)
	touched[3].Detail = "main UPDATE 7"
	c := &campaign{
		options: Options{Faults: 2}, workload: &workload{}, survey: survey{doings: doingsOf(without)},
	}
	const kills = "kill at w.1 mark#1 response, then kill at x.1 mark#1 "
	for _, each := range []struct {
		why    string
		full   bool
		came   result.Result
		want   string
		pruned int
	}{
		{"the first left no trace", false,
			result.Result{Verdict: check.Pass, History: without}, "", 2},
		{"all are asked for", true, result.Result{Verdict: check.Pass, History: without},
			kills + "request\n" + kills + "response", 0},
		{"the first left a trace", false, result.Result{Verdict: check.Pass, History: touched},
			kills + "request\n" + kills + "response", 0},
		{"it went wrong already", false, result.Result{Verdict: check.Fail, History: touched}, "", 2},
	} {
		options := Options{Faults: 2, Full: each.full, At: "kill at (w.1 mark#1 response|x)"}
		got, plan := second(t, options, without, func(s schedule) outcome {
			if s.faults[0].address.Worker != "w" {
				return outcome{schedule: s}
			}
			return c.judge(s, each.came)
		})
		if got != each.want || plan.pruned != each.pruned {
			t.Errorf("%s: pruned %d, want %d; second batch:\n%s\nwant:\n%s", each.why, plan.pruned,
				each.pruned, got, each.want)
		}
	}
	passed := func(s schedule) outcome {
		return c.judge(s, result.Result{Verdict: check.Pass, History: touched})
	}
	got, plan := second(t, Options{Faults: 2, Full: true, Most: 3}, without, passed)
	if lines := strings.Count(got, "\n") + 1; lines != 3 || len(plan.notes()) != 1 {
		t.Errorf("%d lines, notes %v; want 3 and one:\n%s", lines, plan.notes(), got)
	}
}

// TestHang makes a violation of an end that did not come, and nothing of one that only waited for a
// worker that was held.
func TestHang(t *testing.T) {
	t.Parallel()
	c := &campaign{workload: &workload{}}
	for worker, want := range map[string]check.Verdict{
		"w": check.Fail, "recovery-work": check.Fail, "meanwhile-work": check.Pass,
	} {
		o := c.judge(schedule{}, result.Result{
			Entries: []result.Entry{{Kind: result.Trouble, Text: "it did not end", Hung: worker}},
			Workers: []result.Worker{{Name: worker, Incarnation: 2}},
		})
		if o.Verdict != want || o.Blocked != (want == check.Pass) {
			t.Errorf("%s hangs: %v, blocked %t; want %v", worker, o.Verdict, o.Blocked, want)
		}
		if want == check.Fail && o.Hung.Incarnation != 2 {
			t.Errorf("%s hangs in life %d, want 2", worker, o.Hung.Incarnation)
		}
	}
}
