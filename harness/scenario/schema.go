package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"

	"lostreply/harness/strict"
)

// matrixPlaceholder is what may stand in a scenario for a value of its matrix.
const matrixPlaceholder = `^\$\{matrix\.[A-Za-z_][A-Za-z0-9_]*\}$`

// SchemaKinds are the kinds of file that have a schema.
func SchemaKinds() []string { return []string{"defect", "scenario", "system", "unfailed"} }

// Schema is the JSON Schema of one kind of file, or of all kinds when kind is "all": made from the
// types that decode the files.
func Schema(kind string) ([]byte, error) {
	switch kind {
	case "defect":
		return strict.Schema(Defect{}, "lostreply defect", "An edit that brings a bug back."), nil
	case "scenario":
		return strict.Schema(Scenario{}, "lostreply scenario", "What is done, and what must be seen.",
			strict.WithPlaceholder(matrixPlaceholder)), nil
	case "system":
		return strict.Schema(System{}, "lostreply system",
			"Programs, databases and channels under test."), nil
	case "unfailed":
		return strict.Schema(Unfailed{}, "lostreply list of unfailed checks",
			"The checks that no variant makes fail."), nil
	case "all":
		return allSchemas()
	default:
		return nil, fmt.Errorf("%s", strict.Unknown("kind of file", kind, SchemaKinds()))
	}
}

// allSchemas is one document that accepts any kind of file: an editor needs no more than one.
func allSchemas() ([]byte, error) {
	whole := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "lostreply",
	}
	var kinds []any
	definitions := map[string]any{}
	for _, kind := range SchemaKinds() {
		text, err := Schema(kind)
		if err != nil {
			return nil, err
		}
		var schema map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", kind, err)
		}
		schema["$id"] = "https://lostreply.example/" + kind
		definitions[kind] = schema
		kinds = append(kinds, map[string]any{"$ref": schema["$id"]})
	}
	whole["$defs"], whole["oneOf"] = definitions, kinds
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return out.Bytes(), nil
}
