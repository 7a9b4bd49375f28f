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

// NeedsServerFor tells whether the scenario does something to the server of this database, which
// others must not share then.
func (s *Scenario) NeedsServerFor(database string) bool {
	for _, step := range s.Steps {
		body, is := step.Body.(*DatabaseStep)
		if is && s.Under.DatabaseOf(body.Name) == database {
			return true
		}
	}
	return false
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
