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

// described are the Go types that the reference has a table of, with the words that other tables
// call them by. A type that a file can hold and that is not here fails the test.
var described = map[reflect.Type]string{
	reflect.TypeFor[scenario.System]():         "system file",
	reflect.TypeFor[scenario.Database]():       "database",
	reflect.TypeFor[scenario.Program]():        "program",
	reflect.TypeFor[scenario.Build]():          "build",
	reflect.TypeFor[scenario.Ready]():          "ready",
	reflect.TypeFor[scenario.Channel]():        "channel",
	reflect.TypeFor[scenario.Request]():        "request",
	reflect.TypeFor[scenario.Key]():            "key",
	reflect.TypeFor[scenario.Ref]():            "ref",
	reflect.TypeFor[scenario.Query]():          "query",
	reflect.TypeFor[scenario.Answer]():         "answer",
	reflect.TypeFor[scenario.NamedEvent]():     "named event",
	reflect.TypeFor[scenario.Fact]():           "fact",
	reflect.TypeFor[scenario.Recover]():        "recover",
	reflect.TypeFor[scenario.RecoverRun]():     "recovery run",
	reflect.TypeFor[scenario.Scenario]():       "scenario file",
	reflect.TypeFor[scenario.Entry]():          "script entry",
	reflect.TypeFor[scenario.ScriptedAnswer](): "scripted answer",
	reflect.TypeFor[scenario.Subject]():        "subject",
	reflect.TypeFor[scenario.Comparison]():     "comparison",
	reflect.TypeFor[scenario.Range]():          "range",
	reflect.TypeFor[scenario.Ended]():          "ended",
	reflect.TypeFor[scenario.Defect]():         "defect file",
	reflect.TypeFor[scenario.Edit]():           "edit",
	reflect.TypeFor[scenario.Replacement]():    "replacement",
	reflect.TypeFor[scenario.Failure]():        "failure",
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
	reflect.TypeFor[scenario.Await]():    "[subject](#subject) and [comparison](#comparison)",
}

// reference writes tables from the tags of the types that decode the files.
type reference struct {
	t       *testing.T
	tabled  map[reflect.Type]bool
	pending map[reflect.Type]bool
}

func TestLanguageReference(t *testing.T) {
	source, err := os.ReadFile("language.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	writer := &reference{t: t, tabled: map[reflect.Type]bool{}, pending: map[reflect.Type]bool{}}
	page, err := template.New("language").Funcs(template.FuncMap{
		"table": writer.named, "steps": writer.steps,
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
	for missing := range writer.pending {
		if !writer.tabled[missing] {
			t.Errorf("language.tmpl has no {{table %q}}, and a table refers to it", described[missing])
		}
	}
	generated(t, "docs/LANGUAGE.md", text.Bytes())
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
	for t, known := range described {
		if known == words {
			r.tabled[t] = true
			return r.table(t, nil), nil
		}
	}
	return "", fmt.Errorf("no Go type is called %q: see described", words)
}

// steps has a section for each kind of step.
func (r *reference) steps() string {
	var text strings.Builder
	shared := map[reflect.Type]bool{
		reflect.TypeFor[scenario.Subject](): true, reflect.TypeFor[scenario.Comparison](): true,
	}
	for _, kind := range scenario.StepKinds() {
		body := reflect.TypeOf(kind.New()).Elem()
		fmt.Fprintf(&text, "\n### `%s`\n\n%s\n", kind.Name, kind.Doc)
		if table := r.table(body, shared); table != "" {
			fmt.Fprintf(&text, "\n%s\n", table)
		}
		for i := range body.NumField() {
			if shared[body.Field(i).Type] {
				text.WriteString("\nAnd a [subject](#subject) and a [comparison](#comparison).\n")
				break
			}
		}
	}
	return strings.TrimSpace(text.String())
}

// table lists the keys of a struct; those of embedded structs that are left out have their own.
func (r *reference) table(t reflect.Type, leftOut map[reflect.Type]bool) string {
	rows, groups := r.rows(t, leftOut)
	if len(rows) == 0 {
		return ""
	}
	text := "| key | value | default | meaning |\n|---|---|---|---|\n" + strings.Join(rows, "\n")
	for _, group := range groups {
		text += "\n\n" + group
	}
	return text
}

func (r *reference) rows(t reflect.Type, leftOut map[reflect.Type]bool) (rows, groups []string) {
	exclusive := map[string][]string{}
	var order []string
	for i := range t.NumField() {
		field := t.Field(i)
		tag, tagged := field.Tag.Lookup("key")
		if field.Anonymous && !tagged && !leftOut[field.Type] {
			inner, more := r.rows(field.Type, leftOut)
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
	if words, known := described[t]; known {
		r.pending[t] = true
		return fmt.Sprintf("[%s](#%s)", words, strings.ReplaceAll(words, " ", "-"))
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
	}
	r.t.Errorf("the reference has no words for the Go type %s: add it to described, with a "+
		"{{table}} in language.tmpl, or to worded", t)
	return t.String()
}
