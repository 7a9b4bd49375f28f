package variant

import (
	"errors"
	"fmt"
	"go/format"
	"go/scanner"
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"

	"lostreply/harness/scenario"
)

// Apply makes a defect's edits on the sources below the module's root. It returns the edited files
// by their absolute paths and changes nothing on disk. Edits are made in order, each on what the
// ones before it left. An edit that does not fit exactly once is an *EditError.
//
// The root must be absolute for the paths to be so.
func Apply(moduleRoot string, defect *scenario.Defect) (map[string][]byte, error) {
	edited := map[string]*source{}
	originals := map[string][]byte{}
	for _, edit := range defect.Changes() {
		file, content, err := applyEdit(moduleRoot, edit, edited)
		if err != nil {
			var misfit *EditError
			if !errors.As(err, &misfit) {
				misfit = &EditError{Cause: err}
			}
			misfit.Defect, misfit.Edit = defect.Name.Value, edit
			return nil, misfit
		}
		if _, kept := originals[file.path]; !kept {
			originals[file.path] = file.content
		}
		edited[file.path] = &source{path: file.path, name: file.name, content: content}
	}
	if len(edited) == 0 {
		return nil, fmt.Errorf("defect %s changes nothing: give it an edit", defect.Name.Value)
	}
	contents := make(map[string][]byte, len(edited))
	for path, file := range edited {
		content, err := keepUnusedImports(originals[path], file.content, file.name)
		if err == nil {
			content, err = addMissingImports(originals[path], content, file.name)
		}
		if err != nil {
			return nil, fmt.Errorf("defect %s: imports of %s: %w",
				defect.Name.Value, file.name, err)
		}
		contents[path] = content
	}
	return contents, nil
}

// applyEdit returns the file as it stood before the edit, and its content after it.
func applyEdit(root string, edit scenario.Edit, edited map[string]*source) (
	*source, []byte, error,
) {
	files, err := readPackage(root, edit.Package.Value, edited)
	if err != nil {
		return nil, nil, err
	}
	regions, names, err := declarations(files, edit.Function.Value)
	if err != nil {
		return nil, nil, err
	}
	if len(regions) == 0 {
		return nil, nil, &EditError{Functions: nearestNames(edit.Function.Value, names)}
	}
	stands := regions[0].file.place(regions[0].start)
	find, change := matchCode, replacement(edit)
	if edit.Text != nil {
		find = matchText
	}
	found, nearest, err := find(regions, change.Old.Value)
	if err != nil {
		return nil, nil, &EditError{Stands: stands, Cause: err}
	}
	if len(found) != 1 {
		return nil, nil, &EditError{
			Stands: stands, Matches: len(found), Places: places(found, nearest),
		}
	}
	content, err := replace(found[0], change.New.Value)
	if err != nil {
		return nil, nil, &EditError{
			Stands: stands, Matches: 1, Cause: err, Places: editedPlace(found[0], content, err),
		}
	}
	return found[0].file, content, nil
}

func replacement(edit scenario.Edit) scenario.Replacement {
	switch {
	case edit.Text != nil:
		return *edit.Text
	case edit.Code != nil:
		return *edit.Code
	}
	return scenario.Replacement{}
}

// replace puts the new text in the place of the match. With an error from Go's parser it returns
// the content too, so that it can be shown.
func replace(place match, change string) ([]byte, error) {
	text, err := place.write(change)
	if err != nil {
		return nil, err
	}
	content := splice(place.file.content, place.start, place.end, text)
	if string(content) == string(place.file.content) {
		return nil, errors.New("old and new are the same: the edit changes nothing")
	}
	if _, err := format.Source(content); err != nil {
		return content, fmt.Errorf("the edited file is not Go: %w", err)
	}
	return content, nil
}

func places(found []match, nearest *match) []Place {
	if len(found) == 0 && nearest != nil {
		found = []match{*nearest}
	}
	var all []Place
	for _, place := range found {
		all = append(all, Place{
			At: place.file.place(place.start), Source: place.file.lines(place.start, place.end),
		})
	}
	return all
}

// editedPlace shows the edited source where the parser stumbled over it.
func editedPlace(place match, content []byte, err error) []Place {
	var failures scanner.ErrorList
	if content == nil || !errors.As(err, &failures) {
		return nil
	}
	after := &source{name: place.file.name, content: content}
	end := place.end + len(content) - len(place.file.content)
	return []Place{{At: after.place(place.start), Source: after.lines(place.start, end)}}
}

// nearestNames lists up to three declared names, the nearest first.
func nearestNames(wanted string, names []string) []string {
	distance := func(name string) int {
		name, wanted := plainName(name), plainName(wanted)
		if short := name[strings.LastIndexByte(name, '.')+1:]; !strings.Contains(wanted, ".") {
			name = short
		}
		return levenshtein.ComputeDistance(name, wanted)
	}
	ranked := append([]string(nil), names...)
	sort.SliceStable(ranked, func(i, j int) bool {
		return distance(ranked[i]) < distance(ranked[j])
	})
	return ranked[:min(len(ranked), 3)]
}
