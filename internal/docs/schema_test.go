package docs

import (
	"testing"

	"lostreply/harness/report"
	"lostreply/harness/scenario"
)

func TestSchemaIsThatOfTheCode(t *testing.T) {
	schema, err := scenario.Schema("all")
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "docs/schema.json", schema)
}

func TestReportSchemaIsPublished(t *testing.T) {
	generated(t, "docs/report.schema.json", report.Schema())
}
