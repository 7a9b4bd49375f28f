package variant

import (
	"fmt"
	"strings"

	"lostreply/harness/scenario"
)

// EditError says why an edit does not fit the source as it stands now. The defect then fails; the
// clean build is never run in its place.
type EditError struct {
	Defect string
	Edit   scenario.Edit
	// Stands is where the function begins, file:line; empty when it was not found.
	Stands string
	// Matches counts the places that fit; one is what is wanted.
	Matches int
	// Places are those that fit, or the one that comes nearest.
	Places []Place
	// Functions are the nearest names when the function was not found.
	Functions []string
	// Cause is what else is wrong: the edit is not Go, or the edited file is not.
	Cause error
}

// Place is a part of the source: file:line and the lines themselves.
type Place struct {
	At     string
	Source string
}

// Error says what was looked for, where, what was found, and what to do.
func (e *EditError) Error() string {
	var text strings.Builder
	if at := e.Edit.At; at.File != "" {
		fmt.Fprintf(&text, "%s: ", at)
	}
	fmt.Fprintf(&text, "defect %s: ", e.Defect)
	function, folder := e.Edit.Function.Value, e.Edit.Package.Value
	switch {
	case e.Cause != nil && e.Stands == "":
		fmt.Fprintf(&text, "edit of %s in %s: %v", function, folder, e.Cause)
	case e.Cause != nil:
		fmt.Fprintf(&text, "edit of %s (%s): %v", function, e.Stands, e.Cause)
	case e.Stands == "":
		fmt.Fprintf(&text, "no %s in package %s", function, folder)
		if len(e.Functions) > 0 {
			fmt.Fprintf(&text, "; the nearest names are %s", strings.Join(e.Functions, ", "))
		}
	default:
		fmt.Fprintf(&text, "the old %s matches %d times in %s (%s), and must match once",
			e.kind(), e.Matches, function, e.Stands)
	}
	e.writePlaces(&text)
	return text.String()
}

// Unwrap is the cause, if there is one.
func (e *EditError) Unwrap() error { return e.Cause }

func (e *EditError) kind() string {
	if e.Edit.Text != nil {
		return "text"
	}
	return "code"
}

func (e *EditError) writePlaces(text *strings.Builder) {
	switch {
	case e.Stands == "" || e.Cause != nil && len(e.Places) == 0:
		return
	case e.Cause != nil:
		text.WriteString("\nafter the edit:")
	case e.Matches == 0:
		fmt.Fprintf(text, "\nit looks for:\n%s", indented(replacement(e.Edit).Old.Value))
		if len(e.Places) > 0 {
			text.WriteString("\nnearest to it:")
		}
	default:
		text.WriteString("\nname more of the code around the right one of:")
	}
	for _, place := range e.Places {
		fmt.Fprintf(text, "\n  %s:\n%s", place.At, indented(place.Source))
	}
}

func indented(source string) string {
	lines := strings.Split(strings.TrimRight(source, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("    "+line, " \t")
	}
	return strings.Join(lines, "\n")
}
