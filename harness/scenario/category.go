package scenario

import "strings"

// Category says, for a summary, what kind of evidence the scenario gives: against which real
// components, with which faults.
func (s *Scenario) Category() string {
	parts := []string{"real processes"}
	if s.Under.Databases.Len() > 0 {
		parts = append(parts, "PostgreSQL")
	}
	if s.Channels.Len() > 0 {
		parts = append(parts, "fake channels")
	}
	for _, fault := range []struct{ kind, name string }{
		{"kill", "SIGKILL"}, {"stop", "SIGSTOP"}, {"database", "server faults"},
		{"schedule", "scheduler"},
	} {
		for _, step := range s.Steps {
			if step.Kind == fault.kind {
				parts = append(parts, fault.name)
				break
			}
		}
	}
	category := strings.Join(parts, " + ")
	if s.NegativeControl() {
		return "negative control: " + category
	}
	return category
}
