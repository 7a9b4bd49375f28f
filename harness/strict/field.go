package strict

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

var (
	positionType = reflect.TypeFor[Position]()
	durationType = reflect.TypeFor[time.Duration]()
)

// field is one key that a struct accepts.
type field struct {
	index    []int
	key      string
	doc      string
	required bool
	one      string // Exactly one field of this group is given.
	most     string // At most one field of this group is given.
	rules    rules
}

// rules narrow what a field accepts: the tags enum, pattern, min and max.
type rules struct {
	name    string // The key, for messages.
	enum    []string
	pattern *regexp.Regexp
	min     *int64
	max     *int64
}

// elements are the rules for what is inside a list or map, whose own are min and max.
func (r rules) elements() rules {
	return rules{name: r.name, enum: r.enum, pattern: r.pattern}
}

// misplaced says which of the tags a type would not heed: a rule that is never checked is worse
// than none.
func (r rules) misplaced(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	texts, bounds := r.enum != nil || r.pattern != nil, r.min != nil || r.max != nil
	switch own := reflect.New(t).Interface().(type) {
	case *Value, Decoder:
		if texts || bounds {
			return fmt.Sprintf("%s heeds no enum, pattern, min or max", t)
		}
		return ""
	case ruled:
		if element, ok := own.(interface{ element() reflect.Type }); ok {
			return r.elements().misplaced(element.element())
		}
		return ""
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return r.elements().misplaced(t.Elem())
	case reflect.String:
		return ""
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		bounds = false // They are heeded.
	}
	if texts || bounds {
		return fmt.Sprintf("%s does not heed all of its tags enum, pattern, min and max", t)
	}
	return ""
}

// layout is what a struct accepts, in the order of its fields.
type layout struct {
	fields    []field
	positions [][]int
}

// layoutOf reads the tags of a struct. Fields without a key tag are ignored, embedded structs are
// part of the struct. It panics on tags that make no sense: a programmer's mistake, which no input
// can cause, and which Schema, as it visits every type, brings to light.
func layoutOf(t reflect.Type) layout {
	var l layout
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("key")
		switch {
		case f.Type == positionType && f.IsExported():
			l.positions = append(l.positions, f.Index)
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			l.embed(layoutOf(f.Type), i)
		case tagged && tag != "-":
			l.fields = append(l.fields, fieldOf(t, f, tag))
		}
	}
	seen := map[string]bool{}
	for _, f := range l.fields {
		if seen[f.key] {
			panic(fmt.Sprintf("strict: %s has two fields for key %q", t, f.key))
		}
		seen[f.key] = true
	}
	return l
}

func (l *layout) embed(inner layout, i int) {
	for _, f := range inner.fields {
		f.index = append([]int{i}, f.index...)
		l.fields = append(l.fields, f)
	}
	for _, index := range inner.positions {
		l.positions = append(l.positions, append([]int{i}, index...))
	}
}

func fieldOf(t reflect.Type, f reflect.StructField, tag string) field {
	fail := func(why string) {
		panic(fmt.Sprintf("strict: field %s.%s: %s", t, f.Name, why))
	}
	if !f.IsExported() {
		fail("a field with a key must be exported")
	}
	key, option, _ := strings.Cut(tag, ",")
	if key == "" || (option != "" && option != "required") {
		fail(fmt.Sprintf(`the key tag is "name" or "name,required", not %q`, tag))
	}
	result := field{
		index: f.Index, key: key, doc: f.Tag.Get("doc"), required: option == "required",
		one: f.Tag.Get("one"), most: f.Tag.Get("most"), rules: rules{name: key},
	}
	if enum, ok := f.Tag.Lookup("enum"); ok {
		result.rules.enum = strings.Split(enum, ",")
	}
	if pattern, ok := f.Tag.Lookup("pattern"); ok {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			fail(err.Error())
		}
		result.rules.pattern = compiled
	}
	bound := func(tag string) *int64 {
		text, ok := f.Tag.Lookup(tag)
		if !ok {
			return nil
		}
		number, err := boundOf(f.Type, text)
		if err != nil {
			fail(fmt.Sprintf("tag %s: %v", tag, err))
		}
		return &number
	}
	result.rules.min, result.rules.max = bound("min"), bound("max")
	if why := result.rules.misplaced(f.Type); why != "" {
		fail(why)
	}
	return result
}

// boundOf reads a min or max: nanoseconds for a duration; for anything else a number, which counts
// the characters of a text and the elements of a list or map.
func boundOf(t reflect.Type, text string) (int64, error) {
	if t == durationType || t == reflect.PointerTo(durationType) {
		duration, err := time.ParseDuration(text)
		return int64(duration), err
	}
	return strconv.ParseInt(text, 10, 64)
}

// find is the field for a key.
func (l layout) find(key string) (field, bool) {
	i := slices.IndexFunc(l.fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return l.fields[i], true
}

// meant is the field that a misspelt key stands for, when no other key of the mapping gives it. Its
// value is read as that field's, so that one slip is one problem: the key is not missing besides.
func (l layout) meant(word string, pairs []pair) (field, bool) {
	nearest, near := Nearest(word, l.keys())
	taken := slices.ContainsFunc(pairs, func(p pair) bool { return p.key.Value == nearest })
	if !near || taken {
		return field{}, false
	}
	return l.find(nearest)
}

// keys are the valid keys, sorted.
func (l layout) keys() []string {
	keys := make([]string, 0, len(l.fields))
	for _, f := range l.fields {
		keys = append(keys, f.key)
	}
	slices.Sort(keys)
	return keys
}

// group is a set of fields that exclude one another.
type group struct {
	name   string
	keys   []string
	needed bool // Exactly one, not at most one.
}

// groups are the sets of fields that exclude one another, in the order of their first fields.
func (l layout) groups() []group {
	var groups []group
	for _, f := range l.fields {
		for _, g := range []group{{name: f.one, needed: true}, {name: f.most}} {
			if g.name == "" {
				continue
			}
			i := slices.IndexFunc(groups, func(known group) bool {
				return known.name == g.name && known.needed == g.needed
			})
			if i < 0 {
				groups, i = append(groups, g), len(groups)
			}
			groups[i].keys = append(groups[i].keys, f.key)
		}
	}
	return groups
}

// sentenceEnd does not end a sentence at "e.g. in".
var sentenceEnd = regexp.MustCompile(`\. \p{Lu}`)

// note is the first sentence of a field's doc, to stand in brackets behind a message.
func (f field) note() string {
	sentence := f.doc
	if end := sentenceEnd.FindStringIndex(sentence); end != nil {
		sentence = sentence[:end[0]]
	}
	sentence = strings.TrimSuffix(sentence, ".")
	if sentence == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(sentence)
	second, _ := utf8.DecodeRuneInString(sentence[size:])
	if !unicode.IsUpper(second) { // HTTP stays HTTP.
		sentence = string(unicode.ToLower(first)) + sentence[size:]
	}
	return " (" + sentence + ")"
}
