package matrix

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// Unfailed is the list of a system's checks that no variant makes fail, each with the reason: the
// file unfailed.yaml beside its defects.
type Unfailed struct {
	At      strict.Position `key:"-"`
	Excuses []Excuse        `key:"unfailed,required" min:"1" doc:"The checks, and why none makes them fail."`
}

// Excuse says why no variant makes a check fail.
type Excuse struct {
	At       strict.Position `key:"-"`
	Scenario strict.Text     `key:"scenario,required" min:"1" doc:"The scenario; * stands for any text."`
	Check    strict.Text     `key:"check,required" min:"1" doc:"The check; * stands for any text."`
	Why      strict.Text     `key:"why,required" min:"1" doc:"Why no variant makes it fail."`
}

// names tells whether the excuse speaks for a check.
func (e Excuse) names(c Check) bool {
	return matches(e.Scenario.Value, c.Scenario) && matches(e.Check.Value, c.Name)
}

// matches compares a name with a pattern in which * stands for any text, and nothing else is
// special.
func matches(pattern, name string) bool {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	matched, err := regexp.MatchString("^(?s:"+quoted+")$", name)
	return err == nil && matched
}

// LoadUnfailed reads the list of a system; none is an empty one. Its mistakes are strict.Problems.
func LoadUnfailed(system *scenario.System) ([]Excuse, error) {
	file := filepath.Join(system.DefectsFolder(), scenario.UnfailedFile)
	content, err := strict.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list Unfailed
	problems := strict.Load(file, content, &list)
	return list.Excuses, problems.Err()
}
