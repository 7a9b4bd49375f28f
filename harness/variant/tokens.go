package variant

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
)

// unit is one thing that is compared: a token of Go, or a word of a text; with the bytes that it
// covers in its file (or in the defect's own text).
type unit struct {
	text       string
	start, end int
}

// goTokens splits code into tokens the way Go's printer would see them: without comments, without
// the commas and semicolons that only layout asks for. base is added to every offset.
func goTokens(code string, base int) ([]unit, error) {
	var (
		units    []unit
		failures scanner.ErrorList
		reader   scanner.Scanner
	)
	lineEnd := false // the last token is the end of a line
	file := token.NewFileSet().AddFile("", -1, len(code))
	reader.Init(file, []byte(code), func(at token.Position, message string) {
		failures.Add(at, message)
	}, 0)
	for {
		position, kind, literal := reader.Scan()
		if kind == token.EOF {
			break
		}
		start := file.Offset(position)
		next := unit{start: base + start, end: base + start}
		lineEnd = kind == token.SEMICOLON && literal != ";"
		switch {
		case lineEnd:
			next.text = ";" // a line's end: it covers nothing
		case kind.IsLiteral() || kind.IsKeyword() || kind == token.ILLEGAL:
			next.text = literal
			next.end += literalLength(code, start, literal)
		default:
			next.text = kind.String()
			next.end += len(next.text)
		}
		units = append(dropLayout(units, next.text), next)
	}
	if lineEnd {
		units = units[:len(units)-1]
	}
	if len(failures) > 0 {
		return units, errors.New(failures[0].Msg)
	}
	return units, nil
}

// literalLength is the length of a literal in the source: the scanner leaves carriage returns out
// of raw strings.
func literalLength(code string, start int, literal string) int {
	if !strings.HasPrefix(literal, "`") {
		return len(literal)
	}
	if end := strings.IndexByte(code[start+1:], '`'); end >= 0 {
		return end + len("``")
	}
	return len(literal)
}

// dropLayout drops a semicolon before a closing bracket, and a comma that ends a list on its own
// line: both depend on where the lines are broken.
func dropLayout(units []unit, next string) []unit {
	if len(units) == 0 || (next != "}" && next != ")" && next != "]") {
		return units
	}
	last := units[len(units)-1].text
	if last == ";" || last == "," {
		return units[:len(units)-1]
	}
	return units
}

// match is one place that fits: bytes of a file.
type match struct {
	file       *source
	start, end int
	write      func(replacement string) (string, error)
}

// matchCode finds code in the declarations, token by token.
func matchCode(regions []region, code string) (found []match, nearest *match, err error) {
	wanted, err := goTokens(code, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("the old code is not Go: %w", err)
	}
	if len(wanted) == 0 {
		return nil, nil, errors.New("the old code is empty")
	}
	closest := newClosest(wanted)
	for _, region := range regions {
		units, err := goTokens(region.text(), region.start)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", region.file.place(region.start), err)
		}
		for _, at := range occurrences(units, wanted) {
			found = append(found, match{
				file: region.file, start: units[at].start, end: units[at+len(wanted)-1].end,
				write: writeCode,
			})
		}
		closest.look(region.file, units)
	}
	return found, closest.match(), nil
}

// writeCode is code as it is put into a file. A remark at its end must not swallow what follows.
func writeCode(replacement string) (string, error) {
	code := strings.TrimRight(replacement, " \t\n")
	if endsInRemark(code) {
		return code + "\n", nil
	}
	return code, nil
}

func endsInRemark(code string) bool {
	var reader scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	reader.Init(file, []byte(code), nil, scanner.ScanComments)
	remark := false
	for {
		_, kind, literal := reader.Scan()
		switch {
		case kind == token.EOF:
			return remark
		case kind == token.SEMICOLON && literal == "\n":
		default:
			remark = kind == token.COMMENT && strings.HasPrefix(literal, "//")
		}
	}
}

// occurrences are the indexes at which wanted stands in units.
func occurrences(units, wanted []unit) []int {
	var at []int
	for i := 0; i+len(wanted) <= len(units); i++ {
		same := true
		for j := range wanted {
			if units[i+j].text != wanted[j].text {
				same = false
				break
			}
		}
		if same {
			at = append(at, i)
		}
	}
	return at
}
