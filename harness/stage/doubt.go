package stage

import "lostreply/harness/strict"

// Doubt is a reason why a run proves nothing although every check was made.
type Doubt struct {
	Text string
	// At is the place of the scenario that it is about; its zero value is the whole scenario.
	At strict.Position
}

// about makes doubts about the whole scenario.
func about(texts ...string) []Doubt {
	doubts := make([]Doubt, len(texts))
	for i, text := range texts {
		doubts[i] = Doubt{Text: text}
	}
	return doubts
}
