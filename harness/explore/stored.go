package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/scenario"
)

// storedSurvey is a survey as records hold it.
type storedSurvey struct {
	Places []place `json:"places"`
	// Faultless are the lives that ended with status 0, Faulty the others.
	Faultless []scenario.Life `json:"faultless"`
	Faulty    []scenario.Life `json:"faulty,omitempty"`
	// Checks are the expectations of each run, as a list in YAML.
	Checks string   `json:"checks"`
	Notes  []string `json:"notes,omitempty"`
	// Damage is what a run without a fault came to, Doings what each worker does in it.
	Damage outcome           `json:"damage"`
	Doings map[string]string `json:"doings"`
}

func (s survey) stored() (storedSurvey, error) {
	checks, err := written(list(s.checks...))
	if err != nil {
		return storedSurvey{}, err
	}
	stored := storedSurvey{
		Places: s.places, Checks: string(checks), Notes: s.notes, Damage: s.damage, Doings: s.doings,
	}
	for life, clean := range s.faultless {
		if clean {
			stored.Faultless = append(stored.Faultless, life)
		} else {
			stored.Faulty = append(stored.Faulty, life)
		}
	}
	for _, lives := range [][]scenario.Life{stored.Faultless, stored.Faulty} {
		slices.SortFunc(lives, func(a, b scenario.Life) int {
			return cmp.Or(cmp.Compare(a.Worker, b.Worker), a.Incarnation-b.Incarnation)
		})
	}
	return stored, nil
}

func (s storedSurvey) survey() (survey, error) {
	var checks yaml.Node
	if err := yaml.Unmarshal([]byte(s.Checks), &checks); err != nil {
		return survey{}, fmt.Errorf("read the checks of recorded outcomes: %w", err)
	}
	if len(checks.Content) != 1 {
		return survey{}, errors.New("read the checks of recorded outcomes: there are none")
	}
	read := survey{
		places: s.Places, faultless: map[scenario.Life]bool{}, checks: checks.Content[0].Content,
		notes: s.Notes, damage: s.Damage, doings: s.Doings,
	}
	for _, life := range s.Faultless {
		read.faultless[life] = true
	}
	for _, life := range s.Faulty {
		read.faultless[life] = false
	}
	return read, nil
}
