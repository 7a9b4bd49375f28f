package docs

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"text/template"
	"time"

	"lostreply/fakes"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

// renamed are the types whose words are not those of their Go names: NamedEvent is "named event".
var renamed = map[reflect.Type]string{
	reflect.TypeFor[scenario.System]():     "system file",
	reflect.TypeFor[scenario.Scenario]():   "scenario file",
	reflect.TypeFor[scenario.Defect]():     "defect file",
	reflect.TypeFor[scenario.Unfailed]():   "list of unfailed checks",
	reflect.TypeFor[scenario.Entry]():      "script entry",
	reflect.TypeFor[scenario.RecoverRun](): "recovery run",
}

var innerCapital = regexp.MustCompile(`([a-z])([A-Z])`)

// wordsOf are the words by which tables and headings call a type.
func wordsOf(t reflect.Type) string {
	if words, known := renamed[t]; known {
		return words
	}
	return strings.ToLower(innerCapital.ReplaceAllString(t.Name(), "$1 $2"))
}

// worded are the types that decode themselves, or that another section describes.
var worded = map[reflect.Type]string{
	reflect.TypeFor[time.Duration]():     "duration",
	reflect.TypeFor[strict.Text]():       "text",
	reflect.TypeFor[strict.Value]():      "any value",
	reflect.TypeFor[scenario.Names]():    "name, or list of names",
	reflect.TypeFor[scenario.Strings]():  "text, or list of texts",
	reflect.TypeFor[scenario.Argument](): "[argument](#argument)",
	reflect.TypeFor[scenario.Reply]():    "`hang`, `reset` or [scripted answer](#scripted-answer)",
	reflect.TypeFor[scenario.Step]():     "[step](#steps)",
	reflect.TypeFor[scenario.Turns]():    "list of names and [scheduled turns](#scheduled-turn)",
	reflect.TypeFor[scenario.Await]():    "[subject](#subject) and [comparison](#comparison)",
}

// reference writes tables from the tags of the types that decode the files.
type reference struct {
	t       *testing.T
	known   map[string]reflect.Type // every struct that a file can hold, by its words
	order   []string                // of known, as they were met
	tabled  map[string]bool
	leftOut map[reflect.Type]bool
}

func TestLanguageReference(t *testing.T) {
	source, err := os.ReadFile("language.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	writer := newReference(t)
	page, err := template.New("language").Funcs(template.FuncMap{
		"table": writer.named, "steps": writer.steps, "rest": writer.rest,
		"columns": func() string { return quoted(fakes.JournalColumns()) },
		"counts":  func() string { return quoted(journalCounts()) },
	}).Parse(string(source))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := page.Execute(&text, nil); err != nil {
		t.Fatal(err)
	}
	generated(t, "docs/LANGUAGE.md", text.Bytes())
}

// newReference finds every struct that the kinds of file can hold.
func newReference(t *testing.T) *reference {
	r := &reference{t: t, known: map[string]reflect.Type{}, tabled: map[string]bool{}}
	for _, root := range []reflect.Type{
		reflect.TypeFor[scenario.System](), reflect.TypeFor[scenario.Scenario](),
		reflect.TypeFor[scenario.Subject](), reflect.TypeFor[scenario.Comparison](),
		reflect.TypeFor[scenario.ScriptedAnswer](), reflect.TypeFor[scenario.Defect](),
		reflect.TypeFor[scenario.ScheduledTurn](), reflect.TypeFor[scenario.Unfailed](),
	} {
		r.words(root)
	}
	return r
}

// meet notes a struct, and the structs that it holds.
func (r *reference) meet(t reflect.Type) {
	words := wordsOf(t)
	if r.known[words] == nil {
		r.known[words] = t
		r.order = append(r.order, words)
		r.rows(t)
	} else if r.known[words] != t {
		r.t.Errorf("%s and %s are both called %q: put one into renamed", t, r.known[words], words)
	}
}

func quoted(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

func journalCounts() []string {
	var names []string
	for _, total := range fakes.TableOf(nil).Totals {
		names = append(names, total.Name)
	}
	return names
}

// named is the table of the type that is called by these words.
func (r *reference) named(words string) (string, error) {
	t, known := r.known[words]
	if !known {
		return "", fmt.Errorf("language.tmpl: no file holds a %q; there are: %s", words,
			strings.Join(r.order, ", "))
	}
	r.tabled[words] = true
	return r.table(t), nil
}

// rest has a section for each type that the template has no table of.
func (r *reference) rest() string {
	var text strings.Builder
	for _, words := range r.order {
		if !r.tabled[words] {
			fmt.Fprintf(&text, "## %s\n\n%s\n\n", strings.ToUpper(words[:1])+words[1:],
				r.table(r.known[words]))
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return "# Other parts\n\n" + text.String()
}

// steps has a section for each kind of step.
func (r *reference) steps() string {
	var text strings.Builder
	r.leftOut = map[reflect.Type]bool{
		reflect.TypeFor[scenario.Subject](): true, reflect.TypeFor[scenario.Comparison](): true,
	}
	for _, kind := range scenario.StepKinds() {
		body := reflect.TypeOf(kind.New()).Elem()
		fmt.Fprintf(&text, "\n### `%s`\n\n%s\n", kind.Name, kind.Doc)
		if table := r.table(body); table != "" {
			fmt.Fprintf(&text, "\n%s\n", table)
		}
		for i := range body.NumField() {
			if r.leftOut[body.Field(i).Type] {
				text.WriteString("\nAnd a [subject](#subject) and a [comparison](#comparison).\n")
				break
			}
		}
	}
	r.leftOut = nil
	return strings.TrimSpace(text.String())
}

// table lists the keys of a struct.
func (r *reference) table(t reflect.Type) string {
	rows, groups := r.rows(t)
	if len(rows) == 0 {
		return ""
	}
	text := "| key | value | default | meaning |\n|---|---|---|---|\n" + strings.Join(rows, "\n")
	for _, group := range groups {
		text += "\n\n" + group
	}
	return text
}

func (r *reference) rows(t reflect.Type) (rows, groups []string) {
	exclusive := map[string][]string{}
	var order []string
	for i := range t.NumField() {
		field := t.Field(i)
		tag, tagged := field.Tag.Lookup("key")
		if field.Anonymous && !tagged && !r.leftOut[field.Type] {
			inner, more := r.rows(field.Type)
			rows, groups = append(rows, inner...), append(groups, more...)
		}
		if !tagged || tag == "-" {
			continue
		}
		key, option, _ := strings.Cut(tag, ",")
		doc, fallback := splitDefault(field.Tag.Get("doc"))
		switch {
		case option == "required":
			fallback = "**required**"
		case fallback == "" && field.Type.Kind() == reflect.Bool:
			fallback = "false"
		}
		if one := field.Tag.Get("one"); one != "" {
			if exclusive[one] == nil {
				order = append(order, one)
			}
			exclusive[one] = append(exclusive[one], "`"+key+"`")
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", key,
			r.value(field.Type, field.Tag), cell(fallback), cell(doc)))
	}
	for _, one := range order {
		groups = append(groups, "Exactly one of "+strings.Join(exclusive[one], ", ")+" is given.")
	}
	return rows, groups
}

var defaultSentence = regexp.MustCompile(`\s*Default: (.*?)\.(?:\s|$)`)

// splitDefault takes the sentence that begins with "Default:" out of a field's doc.
func splitDefault(doc string) (rest, fallback string) {
	match := defaultSentence.FindStringSubmatchIndex(doc)
	if match == nil {
		return doc, ""
	}
	fallback = doc[match[2]:match[3]]
	before, after := doc[:match[0]], doc[match[1]:]
	return strings.TrimSpace(before + " " + after), fallback
}

// cell makes text fit for a table.
func cell(text string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	return placeholder.ReplaceAllString(text, "`$0`")
}

var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)

// value says what a field takes.
func (r *reference) value(t reflect.Type, tag reflect.StructTag) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if enum := tag.Get("enum"); enum != "" {
		return "`" + strings.ReplaceAll(enum, ",", "`, `") + "`"
	}
	words := r.words(t)
	if least := tag.Get("min"); least != "" && t.Kind() == reflect.Int {
		words += ", at least " + least
	}
	if pattern := tag.Get("pattern"); pattern != "" {
		words += " of the form `" + strings.ReplaceAll(pattern, "|", `\|`) + "`"
	}
	return words
}

func (r *reference) words(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if words, known := worded[t]; known {
		return words
	}
	if strings.HasPrefix(t.Name(), "Map[") {
		entries, _ := t.FieldByName("Entries")
		value, _ := entries.Type.Elem().FieldByName("Value")
		return "mapping of names to " + r.words(value.Type)
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "`true`, `false`"
	case reflect.Int:
		return "integer"
	case reflect.Slice:
		return "list of " + r.words(t.Elem())
	case reflect.Map:
		return "mapping of names to " + r.words(t.Elem())
	case reflect.Struct:
		r.meet(t)
		words := wordsOf(t)
		return fmt.Sprintf("[%s](#%s)", words, strings.ReplaceAll(words, " ", "-"))
	}
	r.t.Errorf("the reference has no words for the Go type %s: add it to worded", t)
	return t.String()
}
