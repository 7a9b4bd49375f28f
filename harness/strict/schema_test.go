package strict_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"lostreply/harness/strict"
)

// compileSchema makes a judge out of a generated schema, checked against the draft's own schema.
func compileSchema(t *testing.T, source []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("sample.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("sample.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// instance is a YAML file as a JSON Schema judge sees it.
func instance(t *testing.T, source string) any {
	t.Helper()
	var value strict.Value
	if err := strict.Load("instance", []byte(source), &value).Err(); err != nil {
		t.Fatalf("not a plain value: %v", err)
	}
	encoded, err := json.Marshal(value.Plain())
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// judge has a file judged by both, and returns the common verdict.
func judge(t *testing.T, schema *jsonschema.Schema, source string) (accepted bool) {
	t.Helper()
	decoding := strict.Load("f", []byte(source), new(sample)).Err()
	validation := schema.Validate(instance(t, source))
	if (decoding == nil) != (validation == nil) {
		t.Errorf("the verdicts on\n%s\ndiffer\nDecode: %v\nschema: %v",
			source, decoding, validation)
	}
	return decoding == nil
}

func TestTheSchemaAcceptsWhatDecodeAccepts(t *testing.T) {
	schema := compileSchema(t, strict.Schema(sample{}, "Sample", ""))
	if !judge(t, schema, string(readTestdata(t, "good.yaml"))) {
		t.Error("the good file is refused")
	}
	if judge(t, schema, "kind: http\n") {
		t.Error("a file without its required key is accepted")
	}
	fragments := []string{
		`5`, `0`, `-1`, `1000`, `1001`, `1.5`, `1.5e-1`, `true`, `null`, `text`, `""`, `"5"`, `/x`,
		`3s`, `3001ms`, `1h2m3.5s`, `-3s`, `3`, `s`, `http`, `smtp`, `htp`, `hang`, `reset`,
		`[]`, `[fast]`, `[fast, slow]`, `[slwo]`, `[5]`, `[[]]`, `[null]`, `{}`, `{a: b}`,
		`{a: 5}`, `{a: {sql: x}}`, `{a: {sql: 5}}`, `{a: {sql: x, b: 1}}`, `{a: {}}`,
		`{status: 200}`, `{status: x}`, `{status: 200, x: 1}`,
		`[{run: {program: x}}]`, `[{kill: {worker: x}}]`, `[{run: {}}]`, `[{kil: {}}]`, `[{}]`,
		`[{run: {program: x}, kill: {worker: x}}]`, `[{run: null}]`, `[run]`,
		`{fact: x}`, `{journal: x}`, `{fact: x, journal: x}`, `{fact: x, within: 3s}`,
		`{fact: x, until: x}`, `{fact: x, until: x, within: 3s}`, `{fact: x, note: x}`,
		`{fact: x, zzz: x}`, `{within: 3s}`, `{program: x}`, `{program: x, inner: {}}`,
		`{program: x, inner: {program: x}}`, `{program: 5}`,
	}
	verdicts := map[bool]int{}
	for _, key := range []string{
		"program", "kind", "state", "path", "nth", "big", "accept", "ratio", "lease", "tags",
		"headers", "facts", "expected", "row", "reply", "steps", "subject", "inner", "zzz",
	} {
		for _, fragment := range fragments {
			source := fmt.Sprintf("%s: %s\n", key, fragment)
			if key != "program" {
				source = "program: x\n" + source
			}
			verdicts[judge(t, schema, source)]++
		}
	}
	// Nothing would be proved if all were refused, or all accepted.
	if verdicts[true] < 100 || verdicts[false] < 500 {
		t.Errorf("%d files accepted, %d refused: too few of one", verdicts[true], verdicts[false])
	}
}

func TestAPlaceholderStandsForAScalar(t *testing.T) {
	source := strict.Schema(sample{}, "Sample", "", strict.WithPlaceholder(`^\$\{m\.[a-z]+\}$`))
	schema := compileSchema(t, source)
	for file, want := range map[string]bool{
		"program: x\nlease: ${m.lease}\nnth: ${m.nth}\nkind: ${m.kind}\naccept: ${m.a}\n": true,
		"program: x\ntags: [\"${m.tag}\"]\n":                                              true,
		"program: x\nlease: ${m.lease}s\n":                                                false,
		"program: x\nlease: ${n.lease}\n":                                                 false,
		"program: x\nsteps: ${m.steps}\n":                                                 false,
	} {
		if err := schema.Validate(instance(t, file)); (err == nil) != want {
			t.Errorf("accepted = %v, expected %v, for\n%s\n%v", err == nil, want, file, err)
		}
	}
}

func TestTheSchemaIsTheSameOnEveryCall(t *testing.T) {
	first := strict.Schema(sample{}, "Sample", "What a sample holds.")
	for range 20 {
		again := strict.Schema(&sample{}, "Sample", "What a sample holds.")
		if !bytes.Equal(first, again) {
			t.Fatal(cmp.Diff(string(first), string(again)))
		}
	}
}

func TestTheSchemaTellsWhatTheTagsTell(t *testing.T) {
	type program struct {
		Build string        `key:"build,required" doc:"How <it> is built." pattern:"^[a-z]+$"`
		Lease time.Duration `key:"lease"`
	}
	want := string(readTestdata(t, "schema.json"))
	got := string(strict.Schema(program{}, "Program", "A program."))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the schema differs (-want +got):\n%s", diff)
	}
}

// undecodable has a Decoder without a Schemer.
type undecodable struct{}

func (*undecodable) DecodeStrict(*strict.Context, *yaml.Node) {}

func TestTypesThatMakeNoSenseAreToldToTheProgrammer(t *testing.T) {
	for want, root := range map[string]any{
		"can't decode into the Go type uint": struct {
			A uint `key:"a"`
		}{},
		"two fields for key \"a\"": struct {
			A, B int `key:"a"`
		}{},
		"not \"a,reqired\"": struct {
			A int `key:"a,reqired"`
		}{},
		"must be exported": struct {
			a int `key:"a"`
		}{},
		"missing closing )": struct {
			A string `key:"a" pattern:"("`
		}{},
		"tag min": struct {
			A int `key:"a" min:"one"`
		}{},
		"must be a Schemer too": undecodable{},
		"float64 does not heed": struct {
			A float64 `key:"a" min:"1"`
		}{},
		"int does not heed": struct {
			A []int `key:"a" enum:"1,2"`
		}{},
		"bool does not heed": struct {
			A strict.Map[*bool] `key:"a" min:"1" enum:"x"`
		}{},
		"strict.Value heeds no": struct {
			A strict.Value `key:"a" min:"1"`
		}{},
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("got %q, expected it to contain %q", got, want)
				}
			}()
			strict.Schema(root, "", "")
		})
	}
}
