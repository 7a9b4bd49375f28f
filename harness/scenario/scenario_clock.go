package scenario

import "time"

// ClockMode is what now() is in the scenario's databases: its own setting, else the system's, else
// moving.
func (s *Scenario) ClockMode() string {
	switch {
	case s.Clock != "":
		return s.Clock
	case s.Under.Clock != "":
		return s.Under.Clock
	default:
		return ClockMoving
	}
}

// Limit bounds each wait of the scenario.
func (s *Scenario) Limit() time.Duration {
	if s.Deadline > 0 {
		return s.Deadline
	}
	return DefaultDeadline
}

// NeedsOwnServer tells whether the scenario does something to a server that others must not share.
func (s *Scenario) NeedsOwnServer() bool {
	for _, step := range s.Steps {
		if step.Kind == "database" {
			return true
		}
	}
	return false
}
