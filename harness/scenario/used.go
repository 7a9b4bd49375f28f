package scenario

// Uses tells whether a step of the scenario names an event: what it means is then part of what the
// scenario says.
func (s *Scenario) Uses(event string) bool {
	for _, step := range s.Steps {
		switch body := step.Body.(type) {
		case *Hold:
			if body.Event.Value == event {
				return true
			}
		case *Refuse:
			if body.Until.Event.Value == event {
				return true
			}
		case *Wait:
			if body.Idle.Value == event {
				return true
			}
		case *Schedule:
			for _, turn := range body.Order {
				if turn.Before.Value == event || turn.After.Value == event {
					return true
				}
			}
		}
	}
	return false
}
