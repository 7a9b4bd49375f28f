package matrix

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lostreply/harness/check"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// Verdict is what became of a variant.
type Verdict string

// The verdicts, from the best to the worst.
const (
	Caught   Verdict = "caught"   // each check that it names fails
	Skipped  Verdict = "skipped"  // the machine lacks what its scenarios need
	Trouble  Verdict = "trouble"  // nothing was proved: it does not apply, build or run
	Survived Verdict = "survived" // a check that it names holds all the same
)

var order = []Verdict{Caught, Skipped, Trouble, Survived}

// Row is what became of one variant.
type Row struct {
	Variant Variant
	Verdict Verdict
	// Reasons say what the checks showed instead, or what went wrong; none for one that is caught.
	Reasons []string
	// Took is how long its build and its runs took, one after the other.
	Took time.Duration
}

func (r *Row) worsen(to Verdict, reason string) {
	if slices.Index(order, to) > slices.Index(order, r.Verdict) {
		r.Verdict = to
	}
	r.Reasons = append(r.Reasons, reason)
}

// Judge tells what became of a variant by what its scenarios came to. unbuilt is why it could not
// be built, or nil; clean are the checks of the scenarios against the system as it stands: a
// check that is in neither does not exist.
func Judge(v Variant, runs []Run, clean *Coverage, unbuilt error) Row {
	row := Row{Variant: v, Verdict: Caught}
	for _, run := range runs {
		row.Took += run.Result.Duration
	}
	if unbuilt != nil {
		row.worsen(Trouble, unbuilt.Error())
		return row
	}
	for _, f := range v.Fails {
		aimed := false
		for _, run := range runs {
			if called(f.Scenario, run.Scenario) {
				aimed = true
				row.aim(f, run, clean)
			}
		}
		if !aimed {
			row.worsen(Trouble, fmt.Sprintf("%s: nothing of %s was run against it: it is the "+
				"twin of another scenario", f.At, f.Scenario.Value))
		}
	}
	return row
}

// aim judges one check that the variant names by one run of its scenario.
func (r *Row) aim(f scenario.Failure, run Run, clean *Coverage) {
	what := fmt.Sprintf("%s: %s", run.Scenario.Name(), f.Check.Value)
	if run.Result.Skipped != "" {
		r.worsen(Skipped, what+": "+run.Result.Skipped)
		return
	}
	var shown []string
	undecided := false
	for _, line := range run.Result.Lines() {
		if line.Name != f.Check.Value {
			continue
		}
		if damaged(line, run.Own) {
			return
		}
		undecided = undecided || line.Verdict == check.Inconclusive
		shown = append(shown, fmt.Sprintf("expected=%s, actual=%s", line.Expected, line.Actual))
	}
	switch known := clean.checksOf(run.Scenario); {
	case len(shown) > 0 && !undecided:
		r.worsen(Survived, fmt.Sprintf("%s: it holds (%s)", what, strings.Join(shown, "; ")))
	case len(shown) == 0 && !slices.Contains(known, f.Check.Value) && len(known) > 0:
		r.worsen(Trouble, fmt.Sprintf("%s: %s: %s", f.Check.At, run.Scenario.Name(),
			strict.Unknown("check", f.Check.Value, known)))
	case len(shown) > 0:
		r.worsen(Trouble, fmt.Sprintf("%s: inconclusive (%s)", what, strings.Join(shown, "; ")))
	default:
		r.worsen(Trouble, fmt.Sprintf("%s: it was not judged: %s", what, firstTrouble(run.Result)))
	}
}

// damaged tells whether a check shows the damage: it fails, or, as the witness of a negative
// control, it passes.
func damaged(line check.Line, own bool) bool {
	if own && line.Exposes != "" {
		return line.Verdict == check.Pass
	}
	return line.Verdict == check.Fail
}

func firstTrouble(r result.Result) string {
	for _, entry := range r.Entries {
		if entry.Kind == result.Trouble {
			return strings.Join(append([]string{entry.Text}, entry.Context...), "\n")
		}
	}
	return "the scenario ended without it"
}
