package docs

import (
	"testing"

	"lostreply/harness/scenario"
)

func TestSchemaIsThatOfTheCode(t *testing.T) {
	schema, err := scenario.Schema("all")
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "docs/schema.json", schema)
}
