package scenario

// EndsOtherwise tells whether the scenario demands that a worker ends by itself with an exit status
// other than 0. For a variant that ends its process at an exact place, that is the witness that it
// was in effect: the program as it stands ends well.
func (s *Scenario) EndsOtherwise() bool {
	for _, step := range s.AllSteps() {
		switch body := step.Body.(type) {
		case *Run:
			if body.Exit != 0 {
				return true
			}
		case *Wait:
			if body.Exit != 0 {
				return true
			}
		case *Check:
			if ended := body.Comparison.Ended; ended != nil && ended.Exit != nil && *ended.Exit != 0 {
				return true
			}
		}
	}
	return false
}
