package variant

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// LoadDefects reads every defect of a folder, in the order of their file names. All mistakes of all
// files are reported at once, as strict.Problems; a folder without defects is an error.
func LoadDefects(folder string) ([]*scenario.Defect, error) {
	files, err := defectFiles(folder)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no defects in %s: it holds no *.yaml", folder)
	}
	var (
		defects  []*scenario.Defect
		problems strict.Problems
		first    = map[string]strict.Position{}
	)
	for _, file := range files {
		defect, wrong := loadDefect(file)
		problems = append(problems, wrong...)
		if defect == nil {
			continue
		}
		name := defect.Name
		if earlier, taken := first[name.Value]; taken {
			problems = append(problems, strict.Problem{At: name.At, Message: fmt.Sprintf(
				"a second defect is called %s: the first is at %s", name.Value, earlier)})
			continue
		}
		first[name.Value] = name.At
		defects = append(defects, defect)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return defects, nil
}

// LoadDefect reads the defect called name from the folder. One that is not there is an error that
// names the nearest.
func LoadDefect(folder, name string) (*scenario.Defect, error) {
	files, err := defectFiles(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if defectName(file) == name {
			defect, problems := loadDefect(file)
			if err := problems.Err(); err != nil {
				return nil, err
			}
			return defect, nil
		}
		names = append(names, defectName(file))
	}
	advice := "there are " + strings.Join(names, ", ")
	if len(names) == 0 {
		advice = "the folder holds none"
	} else if near, ok := strict.Nearest(name, names); ok {
		advice = "did you mean " + near + "?"
	}
	return nil, fmt.Errorf("no defect %s in %s: %s", name, folder, advice)
}

func defectFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read defects: %w", err)
	}
	var files []string
	for _, entry := range entries {
		extension := filepath.Ext(entry.Name())
		if entry.Name() == scenario.UnfailedFile {
			continue
		}
		if !entry.IsDir() && (extension == ".yaml" || extension == ".yml") {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	sort.Strings(files)
	return files, nil
}

func defectName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// loadDefect returns the defect even with problems when its name could be read, so that a second
// one of that name is found in the same run.
func loadDefect(file string) (*scenario.Defect, strict.Problems) {
	content, err := strict.ReadFile(file)
	if err != nil {
		return nil, strict.Problems{{
			At: strict.Position{File: file, Line: 1, Column: 1}, Message: err.Error(),
		}}
	}
	defect := &scenario.Defect{File: file}
	problems := strict.Load(file, content, defect)
	if defect.Name.Value == "" {
		return nil, problems
	}
	if name := defectName(file); defect.Name.Value != name {
		problems = append(problems, strict.Problem{At: defect.Name.At, Message: fmt.Sprintf(
			"the defect is called %s and its file %s: give both one name",
			defect.Name.Value, filepath.Base(file))})
	}
	return defect, problems
}
