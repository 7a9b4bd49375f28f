package variant_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
	"lostreply/harness/variant"
)

const module = "testdata/module"

// defect decodes the edits the way a file would hold them.
func defect(t *testing.T, edits string) *scenario.Defect {
	t.Helper()
	return decode(t, edits)
}

// failer is a test, or one try of a property.
type failer interface {
	Fatalf(format string, arguments ...any)
}

func decode(t failer, edits string) *scenario.Defect {
	text := "defect: broken\nsystem: post\ntitle: a test\nfails: [{scenario: A, check: b}]\n" + edits
	decoded := &scenario.Defect{}
	if problems := strict.Load("broken.yaml", []byte(text), decoded); len(problems) > 0 {
		t.Fatalf("the test's own defect is wrong: %v", problems)
	}
	return decoded
}

func edit(function, kind, old, new string) string {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	return "edit: {package: ./delivery, function: " + quote(function) + ", " + kind +
		": {old: " + quote(old) + ", new: " + quote(new) + "}}"
}

// changed are the lines that an edit takes away (-) and puts in (+).
func changed(t *testing.T, root string, edited map[string][]byte) string {
	t.Helper()
	var lines []string
	for path, after := range edited {
		if filepath.Dir(path) != filepath.Join(root, "delivery") {
			t.Errorf("an edit of %s", path)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, difference(string(before), string(after))...)
	}
	return strings.Join(lines, "\n")
}

func difference(before, after string) []string {
	count := map[string]int{}
	for _, line := range strings.Split(after, "\n") {
		count[line]++
	}
	var lines []string
	for _, line := range strings.Split(before, "\n") {
		if count[line]--; count[line] < 0 {
			lines = append(lines, "-"+strings.TrimSpace(line))
		}
	}
	for _, line := range strings.Split(before, "\n") {
		count[line] = 0
	}
	for _, line := range strings.Split(after, "\n") {
		if count[line] > 0 {
			lines = append(lines, "+"+strings.TrimSpace(line))
			count[line]--
		}
	}
	return lines
}

func TestApplyEdits(t *testing.T) {
	for _, test := range []struct{ name, function, kind, old, new, want string }{
		{"code, whatever its layout and remarks", "Finish", "code",
			"if state==\"SENDING\" &&\n\n   // whoever holds it\n  token ==\"t1\" /* now */ {",
			`if state == "SENDING" {`,
			"-if state == \"SENDING\" && token == \"t1\" { // both\n" +
				"+if state == \"SENDING\" { // both"},
		{"code on several lines, written on one", "(*Store).Put", "code",
			"s.keep(id, row)", "s.keep(id, \"\")", "-s.keep(\n-id,\n-row,\n-)\n+s.keep(id, \"\")"},
		{"code on one line, written on several", "Store.Get", "code",
			"{\n return s.rows[id]\n}", "{ return \"\" }",
			"-func (s Store) Get(id int) string { return s.rows[id] }\n" +
				"+func (s Store) Get(id int) string { return \"\" }"},
		{"a method by its plain name", "Store.keep", "code", "s.rows[id] = row", "",
			"-s.rows[id] = row\n+"},
		{"a constant", "budget", "code", "5", "4", "-const budget = 5\n+const budget = 4"},
		{"a variable", "ErrStale", "text", "stale", `st"le`,
			"-var ErrStale = errors.New(\"stale\")\n+var ErrStale = errors.New(\"st\\\"le\")"},
		{"a type", "Store", "code", "map[int]string", "map[int]string; spare int",
			"-rows map[int]string\n+rows map[int]string; spare int"},
		{"text, its white space folded", "Claim", "text", "ORDER BY id FOR  UPDATE\nSKIP LOCKED",
			"ORDER BY id", "-ORDER BY id\n-FOR UPDATE SKIP LOCKED`\n+ORDER BY id`"},
		{"text by whole words: $8 is not in $80", "Claim", "text", "= $8", "= $9",
			"-WHERE state = $8 OR attempt = $80\n+WHERE state = $9 OR attempt = $80"},
		{"text over an escape", "Update", "text", "'SENT' WHERE", "'LOST'\nWHERE",
			"-return \"UPDATE parcel SET state = 'SENT'\\n\" +\n-\" WHERE id = $1 AND state = " +
				"'SENDING'\" +\n+return \"UPDATE parcel SET state = 'LOST'\\nWHERE\" + \"" +
				" id = $1 AND state = 'SENDING'\" +"},
		{"text over literals of two kinds", "Update", "text",
			"AND state = 'SENDING' AND token = $2", "",
			"-\" WHERE id = $1 AND state = 'SENDING'\" +\n-` AND token = $2`\n" +
				"+\" WHERE id = $1 \" + ``"},
		{"an import left without use", "Label", "code", `fmt.Sprintf("parcel %d", id)`, `"?"`,
			"-\"fmt\"\n-return fmt.Sprintf(\"parcel %d\", id)\n+_ \"fmt\"\n+return \"?\""},
		{"a renamed import left without use", "Shout", "code", `str.ToUpper(text)`, `text`,
			"-str \"strings\"\n-return str.ToUpper(text)\n+_ \"strings\"\n+return text"},
		{"a remark at the end swallows nothing", "Twice", "code", "if n > 0 {", "{ // always",
			"-if n > 0 {\n+{ // always"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, err := filepath.Abs(module)
			if err != nil {
				t.Fatal(err)
			}
			edited, err := variant.Apply(root, defect(t,
				edit(test.function, test.kind, strings.ReplaceAll(test.old, "\n", "\n\n"),
					strings.ReplaceAll(test.new, "\n", "\n\n"))))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, changed(t, root, edited)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestApplySeveralEditsInOrder(t *testing.T) {
	root, err := filepath.Abs(module)
	if err != nil {
		t.Fatal(err)
	}
	edited, err := variant.Apply(root, defect(t, `edits:
  - {package: ./delivery, function: Twice, code: {old: "n += budget\nif", new: "n -= 7; if"}}
  - {package: delivery, function: Twice, code: {old: n += budget, new: n -= 8}}
  - {package: ./delivery, function: Sticker, code: {old: string, new: "[]byte"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(edited) != 2 {
		t.Errorf("edited %d files, want 2", len(edited))
	}
	file := string(edited[filepath.Join(root, "delivery", "finish.go")])
	for _, want := range []string{"n -= 7; if n > 0", "n -= 8"} {
		if !strings.Contains(file, want) {
			t.Errorf("no %q in the edited file", want)
		}
	}
}

func TestApplyRefusals(t *testing.T) {
	for _, test := range []struct{ name, edits, want string }{
		{"no match", edit("Finish", "code", `if state == "SENDING" && token == "t2" {`, "{"),
			`broken.yaml:5:7: defect broken: the old code matches 0 times in Finish ` +
				`(delivery/finish.go:21), and must match once
it looks for:
    if state == "SENDING" && token == "t2" {
nearest to it:
  delivery/finish.go:23:
    if state == "SENDING" && token == "t1" { // both`},
		{"no match, in text", edit("Update", "text", "AND token = $3", ""),
			`broken.yaml:5:7: defect broken: the old text matches 0 times in Update ` +
				`(delivery/finish.go:40), and must match once
it looks for:
    AND token = $3
nearest to it:
  delivery/finish.go:43:
    ` + "` AND token = $2`"},
		{"nothing alike", edit("budget", "code", "finish()", ""),
			`broken.yaml:5:7: defect broken: the old code matches 0 times in budget ` +
				`(delivery/finish.go:13), and must match once
it looks for:
    finish()`},
		{"two matches", edit("Twice", "code", "n += budget", "n++"),
			`broken.yaml:5:7: defect broken: the old code matches 2 times in Twice ` +
				`(delivery/finish.go:78), and must match once
name more of the code around the right one of:
  delivery/finish.go:79:
    n += budget
  delivery/finish.go:81:
    n += budget`},
		{"no such function", edit("finnish", "code", "x", "y"),
			`broken.yaml:5:7: defect broken: no finnish in package ./delivery; ` +
				`the nearest names are Finish, Claim, Twice`},
		{"a broken edit", edit("Finish", "code", `if state == "SENDING" &&`, "if ("),
			`broken.yaml:5:7: defect broken: edit of Finish (delivery/finish.go:21): ` +
				`the edited file is not Go: 23:21: expected ')', found '{' (and 1 more errors)
after the edit:
  delivery/finish.go:23:
    if ( token == "t1" { // both`},
		{"an edit that changes nothing", edit("budget", "code", "5", "5"),
			`broken.yaml:5:7: defect broken: edit of budget (delivery/finish.go:13): ` +
				`old and new are the same: the edit changes nothing`},
		{"old is not Go", edit("Finish", "code", `"SENDING`, "x"),
			`broken.yaml:5:7: defect broken: edit of Finish (delivery/finish.go:21): ` +
				`the old code is not Go: string literal not terminated`},
		{"old holds nothing but a remark", edit("Finish", "code", `// both`, "x"),
			`broken.yaml:5:7: defect broken: edit of Finish (delivery/finish.go:21): ` +
				`the old code is empty`},
		{"a backquote between backquotes", edit("Claim", "text", "SKIP LOCKED", "`"),
			`broken.yaml:5:7: defect broken: edit of Claim (delivery/finish.go:30): ` +
				`the new text holds a backquote, and goes between backquotes`},
		{"a package outside", strings.Replace(edit("F", "code", "a", "b"), "./del", "../del", 1),
			`broken.yaml:5:7: defect broken: edit of F in ../delivery: ` +
				`package "../delivery" is not a directory below the module's root`},
	} {
		t.Run(test.name, func(t *testing.T) {
			edited, err := variant.Apply(module, defect(t, test.edits))
			var misfit *variant.EditError
			if !errors.As(err, &misfit) || edited != nil {
				t.Fatalf("edited %d files, error %v; want an *EditError and none", len(edited), err)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
