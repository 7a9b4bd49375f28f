// Package check judges values that were read from outside against what a scenario expects of them,
// and says how each judgement reads. It is pure: it reads nothing, waits for nothing and prints
// nothing. Nothing passes by default: a judgement that had nothing to judge is inconclusive.
package check

import "fmt"

// Verdict is what a check, a scenario or a whole run came to.
type Verdict int

// The three verdicts. Inconclusive is the zero value, so that a judgement which was never made
// cannot be taken for a pass.
const (
	Inconclusive Verdict = iota // nothing could be said: the scenario or the harness is at fault
	Pass                        // the fact is as expected
	Fail                        // the fact is not as expected
)

var verdictNames = [...]string{Inconclusive: "inconclusive", Pass: "pass", Fail: "fail"}

// String is the verdict's word: pass, fail or inconclusive.
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict %d", int(v))
	}
	return verdictNames[v]
}

// MarshalText writes the verdict's word, so that a saved result does not depend on numbers.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's word. Any other word is an error.
func (v *Verdict) UnmarshalText(text []byte) error {
	for verdict, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(verdict)
			return nil
		}
	}
	return fmt.Errorf("read verdict %q: it is pass, fail or inconclusive", text)
}

// Worst is the verdict of a whole by those of its parts: one failure fails it, else one
// inconclusive part leaves it inconclusive. A whole without parts is inconclusive, never a pass.
func Worst(verdicts ...Verdict) Verdict {
	if len(verdicts) == 0 {
		return Inconclusive
	}
	worst := Pass
	for _, verdict := range verdicts {
		switch verdict {
		case Fail:
			return Fail
		case Pass:
		default:
			worst = Inconclusive
		}
	}
	return worst
}
