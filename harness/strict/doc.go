// Package strict decodes YAML into Go values so that every mistake is found at once, with its
// position, what was expected and the nearest valid word; and generates a JSON Schema from the same
// Go types.
//
// A struct says by the tags of its exported fields what it accepts:
//
//	key:"name"            the key; without this tag, or with "-", a field is not decoded
//	key:"name,required"   the key must be given
//	doc:"What it is."     for the schema, and its first sentence for "missing key"
//	enum:"a,b"            the only valid texts; of a list or map, its elements
//	pattern:"^/"          what a text must match (RE2 and ECMA 262 alike); likewise of elements
//	min:"1" max:"9"       bounds of an integer, a duration (1ms), the characters of a text, or
//	                      the number of elements of a list or map
//	one:"subject"         exactly one field of this group is given
//	most:"deadline"       at most one field of this group is given
//
// A field of type Position is filled with the place of the mapping. Embedded structs without a
// key are part of the struct around them. A field may be a string, bool, integer, float,
// time.Duration, struct, slice, map with string keys, a pointer to one of these, a Text, a Value,
// a Map, or a Decoder.
//
// The language is narrower than YAML: no anchors, aliases, merge keys, tags or second documents,
// and no scalar that two YAML readers take for two things (yes, 014, 2026-01-01): those are
// quoted.
package strict
