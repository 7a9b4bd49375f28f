package report_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The parsers that there are for Go read versions 12 and 13 of the protocol, without subtests. This
// one takes version 14 as its specification has it (testanything.org, "TAP 14 specification",
// section Grammar), and less: nothing that is not TAP, a description for each point, numbers in
// order, and what the specification tells writers to do about subtests.

// tapPoint is a test point with what stands before and beneath it.
type tapPoint struct {
	ok          bool
	description string
	directive   string // "skip" or "todo"; empty for none
	reason      string
	diagnostics map[string]any
	subtest     *tapDocument
}

// tapDocument is a document or a subtest.
type tapDocument struct {
	points []tapPoint
	bailed string // why; empty for a document that came to its end
}

var (
	tapPlan  = regexp.MustCompile(`^1\.\.(0|[1-9][0-9]*)$`)
	tapBegin = regexp.MustCompile(`^(not )?ok ([1-9][0-9]*) - (.*)$`)
	tapRest  = regexp.MustCompile(`(?i)^(skip|todo)( .*)?$`)
)

// tapReader reads lines.
type tapReader struct {
	lines []string
	at    int
}

// parseTAP reads a whole document.
func parseTAP(text string) (*tapDocument, error) {
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("the last line has no end")
	}
	r := &tapReader{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	if line, _ := r.next(""); line != "TAP version 14" {
		return nil, fmt.Errorf("line 1: %q is no version", line)
	}
	document, err := r.document("")
	switch {
	case err != nil:
		return nil, fmt.Errorf("line %d: %w", r.at, err)
	case r.at < len(r.lines):
		return nil, fmt.Errorf("line %d: %q comes after the end", r.at+1, r.lines[r.at])
	}
	return document, nil
}

// next is the next line without its indentation, if it has that.
func (r *tapReader) next(indent string) (string, bool) {
	if r.at == len(r.lines) || !strings.HasPrefix(r.lines[r.at], indent) {
		return "", false
	}
	r.at++
	return r.lines[r.at-1][len(indent):], true
}

// document reads the lines of one indentation. Its plan may be the first or the last of them.
func (r *tapReader) document(indent string) (*tapDocument, error) {
	var found tapDocument
	planned, plannedAt := -1, 0
	var subtest *tapDocument
	var name string
	for {
		line, more := r.next(indent)
		if !more {
			break
		}
		plan := tapPlan.FindStringSubmatch(line)
		switch {
		case subtest != nil || tapBegin.MatchString(line):
			point, err := r.point(line, indent, len(found.points)+1, subtest, name)
			if err != nil {
				return nil, err
			}
			found.points, subtest = append(found.points, *point), nil
		case plan != nil && planned >= 0:
			return nil, fmt.Errorf("a second plan")
		case plan != nil:
			planned, _ = strconv.Atoi(plan[1])
			plannedAt = len(found.points)
		case strings.HasPrefix(line, "# Subtest: "):
			name = strings.TrimPrefix(line, "# Subtest: ")
			inner, err := r.document(indent + "    ")
			if err != nil {
				return nil, err
			}
			subtest = inner
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "Bail out! "):
			found.bailed = strings.TrimPrefix(line, "Bail out! ")
		default:
			return nil, fmt.Errorf("%q is no TAP", line)
		}
	}
	return &found, found.complete(planned, plannedAt, subtest)
}

func (d *tapDocument) complete(planned, plannedAt int, subtest *tapDocument) error {
	switch {
	case subtest != nil:
		return fmt.Errorf("a subtest without its test point")
	case d.bailed != "":
		return nil
	case planned != len(d.points):
		return fmt.Errorf("%d test points, and %d planned", len(d.points), planned)
	case plannedAt != 0 && plannedAt != planned:
		return fmt.Errorf("the plan stands between test points")
	}
	return nil
}

// point reads a test point from its line on.
func (r *tapReader) point(
	line, indent string, number int, subtest *tapDocument, name string,
) (*tapPoint, error) {
	parts := tapBegin.FindStringSubmatch(line)
	if parts == nil || parts[2] != strconv.Itoa(number) {
		return nil, fmt.Errorf("%q is not test point %d", line, number)
	}
	point := &tapPoint{ok: parts[1] == "", subtest: subtest}
	if err := point.describe(parts[3]); err != nil {
		return nil, err
	}
	if subtest != nil {
		written, _, _ := strings.Cut(parts[3], " # ")
		if name != written {
			return nil, fmt.Errorf("%q is the point of subtest %q", written, name)
		}
		if point.ok != subtest.ok() {
			return nil, fmt.Errorf("%q is not what its subtest came to", line)
		}
	}
	if opening, more := r.next(indent + "  "); more {
		if opening != "---" {
			return nil, fmt.Errorf("%q is no diagnostics", opening)
		}
		return point, r.yaml(indent+"  ", point)
	}
	return point, nil
}

// describe takes what stands behind the dash: the first # that is not escaped, with spaces around
// it, begins a directive.
func (p *tapPoint) describe(text string) error {
	var read strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && strings.ContainsRune(`\#`, rune(text[i+1])):
			i++
			read.WriteByte(text[i])
			continue
		case text[i] == '\\':
			return fmt.Errorf("a \\ that escapes nothing in %q", text)
		case text[i] == '#':
			directive := tapRest.FindStringSubmatch(strings.TrimPrefix(text[i+1:], " "))
			if directive == nil || !strings.HasSuffix(read.String(), " ") {
				return fmt.Errorf("a # that begins no directive in %q", text)
			}
			p.directive, p.reason = strings.ToLower(directive[1]), strings.TrimSpace(directive[2])
			p.description = strings.TrimSuffix(read.String(), " ")
			return nil
		}
		read.WriteByte(text[i])
	}
	if p.description = read.String(); p.description == "" {
		return fmt.Errorf("a test point without a description")
	}
	return nil
}

// yaml reads diagnostics, which are one mapping here.
func (r *tapReader) yaml(indent string, point *tapPoint) error {
	var text strings.Builder
	for {
		line, more := r.next(indent)
		if !more {
			return fmt.Errorf("diagnostics without an end")
		}
		if line == "..." {
			break
		}
		text.WriteString(line + "\n")
	}
	if err := yaml.Unmarshal([]byte(text.String()), &point.diagnostics); err != nil {
		return fmt.Errorf("diagnostics of %q: %w", point.description, err)
	}
	if len(point.diagnostics) == 0 {
		return fmt.Errorf("diagnostics of %q that say nothing", point.description)
	}
	return nil
}

// ok tells whether a subtest passes: no point of it fails, but for what is skipped or to do.
func (d *tapDocument) ok() bool {
	for _, point := range d.points {
		if !point.ok && point.directive == "" {
			return false
		}
	}
	return d.bailed == ""
}
