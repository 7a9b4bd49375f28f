package strict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lostreply/harness/strict"
)

// load decodes a source that must hold no mistake.
func load[T any](t *testing.T, source string) T {
	t.Helper()
	var target T
	if err := strict.Load("f", []byte(source), &target).Err(); err != nil {
		t.Fatal(err)
	}
	return target
}

func TestAValueKeepsWhatWasWritten(t *testing.T) {
	value := load[strict.Value](t, `{z: 1.50, a: [null, true, 9223372036854775807, "5"], m: {}}`)
	mapping := value.Data.(strict.Map[strict.Value])
	if diff := cmp.Diff([]string{"z", "a", "m"}, mapping.Names()); diff != "" {
		t.Errorf("the keys differ (-want +got):\n%s", diff)
	}
	decimal, ok := mapping.Get("z")
	if !ok || decimal.Data != 1.5 || decimal.Source != "1.50" {
		t.Errorf("z is %#v", decimal)
	}
	if want := (strict.Position{File: "f", Line: 1, Column: 5}); decimal.At != want {
		t.Errorf("z is at %s, expected %s", decimal.At, want)
	}
	plain := map[string]any{
		"z": 1.5, "a": []any{nil, true, int64(9223372036854775807), "5"}, "m": map[string]any{},
	}
	if diff := cmp.Diff(any(plain), value.Plain()); diff != "" {
		t.Errorf("the plain value differs (-want +got):\n%s", diff)
	}
	line := `{z: 1.50, a: [null, true, 9223372036854775807, "5"], m: {}}`
	if diff := cmp.Diff(line, value.String()); diff != "" {
		t.Errorf("the written value differs (-want +got):\n%s", diff)
	}
}

func TestANullThatIsWrittenIsGiven(t *testing.T) {
	type row struct {
		Value   strict.Value  `key:"value"`
		Pointer *strict.Value `key:"pointer"`
	}
	written := load[row](t, "value: null\npointer: ~\n")
	if !written.Value.Given() || written.Pointer == nil || written.Pointer.Data != nil {
		t.Errorf("written nulls are decoded as %+v", written)
	}
	absent := load[row](t, "{}")
	if absent.Value.Given() || absent.Pointer != nil {
		t.Errorf("absent values are decoded as %+v", absent)
	}
}

func TestTheNearestWordIsSuggestedOnlyWhenNear(t *testing.T) {
	words := []string{"state", "stated", "http", "program", "at", "kind", "unchanged_since"}
	for word, want := range map[string]string{
		"stat": "state", "State": "state", "htp": "http", "prog": "program", "kidn": "kind",
		"unchaged_sinc": "unchanged_since", "programme": "program",
		"": "", "x": "", "ax": "", "zebra": "", "fact": "", "kiln": "kind", "lost": "",
	} {
		got, near := strict.Nearest(word, words)
		if got != want || near != (want != "") {
			t.Errorf("nearest to %q: got %q, %v; expected %q", word, got, near, want)
		}
	}
	if got, _ := strict.Nearest("wrok", []string{"worm", "work"}); got != "work" {
		t.Errorf("of two that are equally near, got %q", got)
	}
}

func TestUnknownNamesTheNearestAndAllValidWords(t *testing.T) {
	for want, got := range map[string]string{
		`unknown program "wrok": did you mean "work"? valid: create, work`: strict.Unknown(
			"program", "wrok", []string{"work", "create"}),
		`unknown fact "zzz": valid: nothing`: strict.Unknown("fact", "zzz", nil),
	} {
		if got != want {
			t.Errorf("got\n%s\nexpected\n%s", got, want)
		}
	}
}
