package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
)

// Schemer is a Decoder that says what it accepts, as JSON Schema. It is called on a zero value.
type Schemer interface {
	StrictSchema(g *Generator) map[string]any
}

// Generator makes a JSON Schema, draft 2020-12, from Go types.
type Generator struct {
	names       map[reflect.Type]string
	types       map[string]reflect.Type
	defs        map[string]any
	placeholder string // Pattern; empty when there is none.
}

// SchemaOption is a choice in the making of a schema.
type SchemaOption func(*Generator)

// WithPlaceholder lets a text that matches the pattern stand for any scalar: for files in which
// values are put before they are decoded. Anchor the pattern.
func WithPlaceholder(pattern string) SchemaOption {
	return func(g *Generator) { g.placeholder = pattern }
}

// Schema is the JSON Schema of what Decode accepts for the type of root, with one definition for
// each named Go type, indented, the same bytes on every call. Positions, duplicate keys, the form
// of numbers (1.0 is an integer to JSON Schema) and the bounds of durations are Decode's alone.
// It panics on a Go type that Decode can't decode.
func Schema(root any, title, description string, options ...SchemaOption) []byte {
	g := &Generator{
		names: map[reflect.Type]string{},
		types: map[string]reflect.Type{},
		defs:  map[string]any{},
	}
	for _, choose := range options {
		choose(g)
	}
	schema := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   title,
	}
	if description != "" {
		schema["description"] = description
	}
	for key, value := range g.Of(root) {
		schema[key] = value
	}
	if len(g.defs) > 0 {
		schema["$defs"] = g.defs
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		panic(fmt.Sprintf("strict: a schema that is no JSON: %v", err))
	}
	return out.Bytes()
}

// Of is the schema of a value's type, a pointer standing for what it points to: a reference when
// the type is a named struct or a Schemer.
func (g *Generator) Of(value any) map[string]any {
	return g.ofType(reflect.TypeOf(value), rules{})
}

// Fields is the schema of a struct by its tagged fields, even if it is a Schemer.
func (g *Generator) Fields(value any) map[string]any {
	t := reflect.TypeOf(value)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return g.structSchema(t)
}

// OneKey is the schema of what DecodeOneKey accepts.
func (g *Generator) OneKey(kinds []Kind) map[string]any {
	forms := make([]any, 0, len(kinds))
	for _, kind := range kinds {
		form := map[string]any{
			"type":                 "object",
			"properties":           map[string]any{kind.Name: g.Of(kind.New())},
			"required":             []string{kind.Name},
			"additionalProperties": false,
		}
		if kind.Doc != "" {
			form["description"] = kind.Doc
		}
		forms = append(forms, form)
	}
	return map[string]any{"oneOf": forms}
}

// ExactlyOne adds to an object's schema that exactly one of the keys must be there.
func (g *Generator) ExactlyOne(schema map[string]any, keys ...string) map[string]any {
	return exclude(schema, group{keys: keys, needed: true})
}

// OrPlaceholder is the schema of a scalar for which a placeholder may stand, if there are any (see
// WithPlaceholder): for a Schemer that writes the schema of a scalar itself.
func (g *Generator) OrPlaceholder(scalar map[string]any) map[string]any {
	if g.placeholder == "" {
		return scalar
	}
	if len(scalar) == 1 && scalar["type"] == "string" {
		return scalar // Any text, placeholders among them.
	}
	standsFor := map[string]any{"type": "string", "pattern": g.placeholder}
	return map[string]any{"anyOf": []any{scalar, standsFor}}
}

func (g *Generator) ofType(t reflect.Type, r rules) map[string]any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	zero := reflect.New(t).Interface()
	if own, ok := zero.(ruled); ok {
		return own.schemaRuled(g, r)
	}
	if own, ok := zero.(Schemer); ok {
		return g.define(t, func() map[string]any { return own.StrictSchema(g) })
	}
	if _, ok := zero.(Decoder); ok {
		panic(fmt.Sprintf("strict: %s is a Decoder and must be a Schemer too", t))
	}
	if t == durationType {
		return g.OrPlaceholder(map[string]any{"type": "string", "pattern": durationPattern})
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.define(t, func() map[string]any { return g.structSchema(t) })
	case reflect.Slice:
		schema := map[string]any{"type": "array", "items": g.ofType(t.Elem(), r.elements())}
		return limit(schema, r, "minItems", "maxItems")
	case reflect.Map:
		return g.mapSchema(t.Elem(), r)
	}
	return g.OrPlaceholder(scalarSchema(t, r))
}

func (g *Generator) mapSchema(element reflect.Type, r rules) map[string]any {
	values := g.ofType(element, r.elements())
	schema := map[string]any{"type": "object", "additionalProperties": values}
	return limit(schema, r, "minProperties", "maxProperties")
}

func scalarSchema(t reflect.Type, r rules) map[string]any {
	switch t.Kind() {
	case reflect.String:
		return textSchema(r)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return limit(map[string]any{"type": "integer"}, r, "minimum", "maximum")
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	}
	panic(fmt.Sprintf("strict: can't decode into the Go type %s", t))
}

func textSchema(r rules) map[string]any {
	schema := map[string]any{"type": "string"}
	if r.enum != nil {
		schema["enum"] = r.enum
	}
	if r.pattern != nil {
		schema["pattern"] = r.pattern.String()
	}
	return limit(schema, r, "minLength", "maxLength")
}

func limit(schema map[string]any, r rules, least, most string) map[string]any {
	if r.min != nil {
		schema[least] = *r.min
	}
	if r.max != nil {
		schema[most] = *r.max
	}
	return schema
}

// define puts the schema of a named type among the definitions, once, and returns a reference to
// it. The name is taken before the schema is made, so a type may hold itself.
func (g *Generator) define(t reflect.Type, schema func() map[string]any) map[string]any {
	if t.Name() == "" || strings.Contains(t.Name(), "[") {
		return schema() // Without a name, or with one that is no name for a definition.
	}
	name, known := g.names[t]
	if !known {
		name = t.Name()
		if _, taken := g.types[name]; taken {
			name = path.Base(t.PkgPath()) + "." + name
		}
		if other, taken := g.types[name]; taken {
			panic(fmt.Sprintf("strict: %s and %s have the same name: rename one", t, other))
		}
		g.names[t], g.types[name] = name, t
		g.defs[name] = schema()
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func (g *Generator) structSchema(t reflect.Type) map[string]any {
	l := layoutOf(t)
	properties := map[string]any{}
	required := []string{}
	for _, f := range l.fields {
		property := g.ofType(t.FieldByIndex(f.index).Type, f.rules)
		if f.doc != "" {
			property["description"] = f.doc
		}
		properties[f.key] = property
		if f.required {
			required = append(required, f.key)
		}
	}
	schema := map[string]any{
		"type":                 "object",
		"properties":           properties,
		"additionalProperties": false,
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	for _, each := range l.groups() {
		schema = exclude(schema, each)
	}
	return schema
}

// exclude adds to an object's schema that exactly one, or at most one, of a group's keys is there.
func exclude(schema map[string]any, each group) map[string]any {
	var forms []any
	for _, key := range each.keys {
		forms = append(forms, map[string]any{"required": []string{key}})
	}
	if !each.needed {
		none := map[string]any{"not": map[string]any{"anyOf": slices.Clone(forms)}}
		forms = append(forms, none)
	}
	all, _ := schema["allOf"].([]any)
	schema["allOf"] = append(all, map[string]any{"oneOf": forms})
	return schema
}

func (t *Text) schemaRuled(g *Generator, r rules) map[string]any {
	return g.OrPlaceholder(textSchema(r))
}

func (m *Map[T]) schemaRuled(g *Generator, r rules) map[string]any {
	return g.mapSchema(m.element(), r)
}

func (v *Value) schemaRuled(*Generator, rules) map[string]any { return map[string]any{} }
