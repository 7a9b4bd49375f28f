package scenario

import (
	"errors"
	"io/fs"
	"path/filepath"

	"lostreply/harness/strict"
)

// UnfailedFile is the one file among a system's defects that holds none: it lists the checks that
// no variant makes fail.
const UnfailedFile = "unfailed.yaml"

// Unfailed is the list of a system's checks that no variant makes fail, each with the reason.
type Unfailed struct {
	At      strict.Position `key:"-"`
	Excuses []Excuse        `key:"unfailed,required" min:"1" doc:"The checks, and why none makes them fail."`
}

// Excuse says why no variant makes some checks fail.
type Excuse struct {
	At       strict.Position `key:"-"`
	Scenario Names           `key:"scenario,required" doc:"The scenarios; * stands for any text."`
	Check    Names           `key:"check,required" doc:"Their checks, as the lines of output have them; * stands for any text."`
	Why      strict.Text     `key:"why,required" min:"1" doc:"Why no variant makes them fail."`
}

// LoadUnfailed reads the list of a system; none is an empty one. Its mistakes are strict.Problems.
func LoadUnfailed(system *System) ([]Excuse, error) {
	file := filepath.Join(system.DefectsFolder(), UnfailedFile)
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
