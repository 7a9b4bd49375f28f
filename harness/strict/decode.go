package strict

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Decoder is a type that decodes itself, for what tags can't say. It reports mistakes to the
// context and goes on. A type whose pointer is a Decoder must be a Schemer too.
type Decoder interface {
	DecodeStrict(c *Context, node *yaml.Node)
}

// ruled is a type of this package that heeds the tags of the field that it is in.
type ruled interface {
	decodeRuled(c *Context, node *yaml.Node, r rules)
	schemaRuled(g *Generator, r rules) map[string]any
}

// Context is one decoding: the file, and the problems so far.
type Context struct {
	file     string
	problems Problems
	layouts  map[reflect.Type]layout // of the types met so far
}

// Decode fills the target, a pointer, from a document and returns every mistake in it. The target
// holds what could be read; use it only when there are no problems. It panics on a Go type that it
// can't decode (see Schema), never on account of the document.
func Decode(document *Document, target any) Problems {
	c := &Context{file: document.file, layouts: map[reflect.Type]layout{}}
	c.Decode(document.root, target)
	return c.problems.Sorted()
}

// PositionOf is the place of a node.
func (c *Context) PositionOf(node *yaml.Node) Position {
	return problemAt(c.file, node, "").At
}

// Problem reports a mistake at a node: what was expected, and what to write.
func (c *Context) Problem(node *yaml.Node, format string, args ...any) {
	c.problems = append(c.problems, problemAt(c.file, node, format, args...))
}

// Decode fills the target, a pointer, from a node; it is false when that met a problem.
func (c *Context) Decode(node *yaml.Node, target any) bool {
	return c.decodeRuled(node, target, rules{})
}

func (c *Context) decodeRuled(node *yaml.Node, target any, r rules) bool {
	before := len(c.problems)
	c.decode(node, pointed(target), r)
	return len(c.problems) == before
}

// Fields fills the tagged fields of a struct from a mapping, even if the struct is a Decoder: for
// one that has more to say once its fields are read. It is false when that met a problem.
func (c *Context) Fields(node *yaml.Node, target any) bool {
	before := len(c.problems)
	c.decodeStruct(node, pointed(target))
	return len(c.problems) == before
}

func pointed(target any) reflect.Value {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("strict: the target of a decoding must be a pointer, not %T", target))
	}
	return v.Elem()
}

func (c *Context) decode(node *yaml.Node, v reflect.Value, r rules) {
	switch target := v.Addr().Interface().(type) {
	case ruled:
		target.decodeRuled(c, node, r)
		return
	case Decoder:
		target.DecodeStrict(c, node)
		return
	}
	if v.Type() == durationType {
		if duration, ok := c.duration(node); ok && c.bounded(node, int64(duration), r) {
			v.SetInt(int64(duration))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		c.decode(node, v.Elem(), r)
	case reflect.Struct:
		c.decodeStruct(node, v)
	case reflect.Slice:
		c.decodeSlice(node, v, r)
	case reflect.Map:
		c.decodeMap(node, v, r)
	default:
		c.decodeScalar(node, v, r)
	}
}

func (c *Context) decodeScalar(node *yaml.Node, v reflect.Value, r rules) {
	switch v.Kind() {
	case reflect.String:
		if text, ok := c.text(node); ok {
			c.allowed(node, text, r) // taken even so: what is refused is not missing besides
			v.SetString(text)
		}
	case reflect.Bool:
		if value, ok := c.bool(node); ok {
			v.SetBool(value)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if number, ok := c.whole(node, v.Type().Bits()); ok && c.between(node, number, r) {
			v.SetInt(number)
		}
	case reflect.Float32, reflect.Float64:
		if number, ok := c.decimal(node); ok {
			v.SetFloat(number)
		}
	default:
		panic(fmt.Sprintf("strict: can't decode into the Go type %s", v.Type()))
	}
}

func (c *Context) decodeSlice(node *yaml.Node, v reflect.Value, r rules) {
	if node.Kind != yaml.SequenceNode {
		c.expected(node, "a list", "")
		return
	}
	if !c.counted(node, len(node.Content), r) {
		return
	}
	slice := reflect.MakeSlice(v.Type(), len(node.Content), len(node.Content))
	for i, item := range node.Content {
		c.decode(item, slice.Index(i), r.elements())
	}
	v.Set(slice)
}

func (c *Context) decodeMap(node *yaml.Node, v reflect.Value, r rules) {
	if v.Type().Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strict: the keys of a map must be strings, not as in %s", v.Type()))
	}
	entries, ok := c.entries(node, r)
	if !ok {
		return
	}
	result := reflect.MakeMapWithSize(v.Type(), len(entries))
	for _, e := range entries {
		value := reflect.New(v.Type().Elem()).Elem()
		c.decode(e.value, value, r.elements())
		result.SetMapIndex(reflect.ValueOf(e.key.Value).Convert(v.Type().Key()), value)
	}
	v.Set(result)
}

// pair is a key and its value in a mapping.
type pair struct{ key, value *yaml.Node }

// entries are the pairs of a mapping, without those whose key is none.
func (c *Context) entries(node *yaml.Node, r rules) ([]pair, bool) {
	if node.Kind != yaml.MappingNode {
		c.expected(node, "a mapping", "")
		return nil, false
	}
	if !c.counted(node, len(node.Content)/2, r) {
		return nil, false
	}
	var pairs []pair
	for i := 0; i+1 < len(node.Content); i += 2 {
		if message := keyRefusal(node.Content[i]); message != "" {
			c.Problem(node.Content[i], "%s", message)
			continue
		}
		pairs = append(pairs, pair{node.Content[i], node.Content[i+1]})
	}
	return pairs, true
}

func (c *Context) decodeStruct(node *yaml.Node, v reflect.Value) {
	l, met := c.layouts[v.Type()]
	if !met {
		l = layoutOf(v.Type())
		c.layouts[v.Type()] = l
	}
	for _, index := range l.positions {
		v.FieldByIndex(index).Set(reflect.ValueOf(c.PositionOf(node)))
	}
	pairs, ok := c.entries(node, rules{})
	if !ok {
		return
	}
	given := map[string]bool{}
	for _, p := range pairs {
		f, ok := l.find(p.key.Value)
		if !ok {
			beginning := "unknown key " + quote(p.key.Value)
			c.Problem(p.key, "%s", unknown(beginning, "valid here", p.key.Value, l.keys()))
			if f, ok = l.meant(p.key.Value, pairs); !ok {
				continue
			}
			p.key.Value = f.key
		}
		given[f.key] = true
		c.decode(p.value, v.FieldByIndex(f.index), f.rules)
	}
	for _, f := range l.fields {
		if f.required && !given[f.key] {
			c.Problem(node, "missing key %q%s", f.key, f.note())
		}
	}
	for _, g := range l.groups() {
		c.exclusive(node, g)
	}
}

// exclusive checks a group of keys of which exactly one, or at most one, may be given.
func (c *Context) exclusive(node *yaml.Node, g group) (string, bool) {
	var found []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		if slices.Contains(g.keys, node.Content[i].Value) {
			found = append(found, node.Content[i])
		}
	}
	quantity, name := "at most", ""
	if g.needed {
		quantity = "exactly"
	}
	if g.name != "" {
		name = " as the " + g.name
	}
	wanted := fmt.Sprintf("%s one of %s%s", quantity, strings.Join(g.keys, ", "), name)
	switch {
	case len(found) == 0 && g.needed:
		c.Problem(node, "missing key: give %s", wanted)
		return "", false
	case len(found) == 0:
		return "", true
	}
	for _, key := range found[1:] {
		if key.Value != found[0].Value {
			c.Problem(key, "%q can't stand beside %q: give %s", key.Value, found[0].Value, wanted)
		}
	}
	return found[0].Value, len(found) == 1
}
