package check

import "fmt"

// Summary counts checks by their verdicts, and the scenarios that were skipped or never begun.
type Summary struct {
	Passed       int `json:"passed"`
	Failed       int `json:"failed"`
	Inconclusive int `json:"inconclusive"`
	Skipped      int `json:"skipped"`
	// NotRun are scenarios that were chosen and not run to their end: the run was interrupted, was to
	// stop at the first failure, or could not begin.
	NotRun int `json:"not_run"`
}

// Add counts more lines.
func (s *Summary) Add(lines ...Line) {
	for _, line := range lines {
		s.AddVerdict(line.Verdict)
	}
}

// AddVerdict counts one more verdict, of something that is no line: a wait that expired, say.
func (s *Summary) AddVerdict(verdict Verdict) {
	switch verdict {
	case Pass:
		s.Passed++
	case Fail:
		s.Failed++
	default:
		s.Inconclusive++
	}
}

// Plus is the sum of two summaries.
func (s Summary) Plus(other Summary) Summary {
	return Summary{
		Passed:       s.Passed + other.Passed,
		Failed:       s.Failed + other.Failed,
		Inconclusive: s.Inconclusive + other.Inconclusive,
		Skipped:      s.Skipped + other.Skipped,
		NotRun:       s.NotRun + other.NotRun,
	}
}

// Verdict is that of the whole. Nothing judged is inconclusive, unless everything was skipped,
// which passes and is always shown.
func (s Summary) Verdict() Verdict {
	switch {
	case s.Failed > 0:
		return Fail
	case s.Inconclusive > 0, s.NotRun > 0:
		return Inconclusive
	case s.Passed > 0 || s.Skipped > 0:
		return Pass
	default:
		return Inconclusive
	}
}

// String is the last line of a run: SUMMARY passed=76 failed=0, with what was inconclusive or
// skipped, or did not run, only when there was some.
func (s Summary) String() string {
	text := fmt.Sprintf("SUMMARY passed=%d failed=%d", s.Passed, s.Failed)
	if s.Inconclusive > 0 {
		text += fmt.Sprintf(" inconclusive=%d", s.Inconclusive)
	}
	if s.Skipped > 0 {
		text += fmt.Sprintf(" skipped=%d", s.Skipped)
	}
	if s.NotRun > 0 {
		text += fmt.Sprintf(" not_run=%d", s.NotRun)
	}
	return text
}
