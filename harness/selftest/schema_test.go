package selftest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// schemas are the compiled schemas that the command prints, by kind of file.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	compiled := map[string]*jsonschema.Schema{}
	for _, kind := range []string{"system", "scenario", "defect", "unfailed", "all"} {
		o := call(t, "schema", kind).expectStatus(t, 0)
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(o.stdout))
		if err != nil {
			t.Fatalf("the schema of %s is no JSON: %v", kind, err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(kind+".json", document); err != nil {
			t.Fatal(err)
		}
		if compiled[kind], err = compiler.Compile(kind + ".json"); err != nil {
			t.Fatalf("the schema of %s: %v", kind, err)
		}
	}
	return compiled
}

// instance reads a YAML file as the schema's validator wants it.
func instance(path string) (any, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var value any
	if err := yaml.NewDecoder(bytes.NewReader(source)).Decode(&value); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return value, nil
}

// kindOf tells the kind of a file by its place and name.
func kindOf(path string) string {
	switch {
	case filepath.Base(path) == "system.yaml":
		return "system"
	case filepath.Base(path) == "unfailed.yaml":
		return "unfailed"
	case strings.Contains(path, "defects/"):
		return "defect"
	default:
		return "scenario"
	}
}

// TestSchemaAcceptsEveryFile validates each file of the repository that the loader accepts.
func TestSchemaAcceptsEveryFile(t *testing.T) {
	t.Parallel()
	compiled := schemas(t)
	count := 0
	for _, root := range []string{
		"../../scenarios", "../../defects", "testdata/processes", "testdata/channels",
		"testdata/database", "testdata/servers", "testdata/two", "testdata/selection",
		"testdata/unbuildable", "testdata/badsetup", "testdata/matrix", "testdata/teeth",
	} {
		for _, name := range files(t, root) {
			path := filepath.Join(root, name)
			if filepath.Ext(path) != ".yaml" {
				continue
			}
			count++
			value, err := instance(path)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, kind := range []string{kindOf(path), "all"} {
				if err := compiled[kind].Validate(value); err != nil {
					t.Errorf("%s, by the schema of %s: %v", path, kind, err)
				}
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d files were validated", count)
	}
}

// TestSchemaRejectsWrongForm makes sure that an editor finds what the loader would: each mistake of
// form, none of meaning.
func TestSchemaRejectsWrongForm(t *testing.T) {
	t.Parallel()
	compiled := schemas(t)
	for _, name := range []string{
		"unknown-key", "wrong-type", "missing-key", "bad-id", "unknown-step", "await-within",
		"text", "no-steps", "script", "contracts/system", "unknown-system-key/system", "types/system",
	} {
		path := "testdata/bad/" + name + ".yaml"
		value, err := instance(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, kind := range []string{kindOf(path), "all"} {
			if compiled[kind].Validate(value) == nil {
				t.Errorf("the schema of %s accepts %s", kind, path)
			}
		}
	}
	call(t, "schema", "no-such-kind").expectStatus(t, 2)
}
