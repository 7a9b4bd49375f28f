package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConvergeNamesFacts refuses a fact that the system does not have, and takes one that it has.
func TestConvergeNamesFacts(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ fact, want string }{
		{"letters", ""}, {"leters", `unknown fact "leters"`},
	} {
		recovers(t, "converge: ["+each.fact+"]", each.want)
	}
}

// TestInvariantsAreOfTheSystem refuses an invariant that could not be told from another, or that
// speaks of what only a scenario has.
func TestInvariantsAreOfTheSystem(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ invariants, want string }{
		{"{name: a, check: {fact: letters, rows: []}}", ""},
		{"{name: a, holds: recovered, check: {journal: sms, count: {sends: 1}}}", ""},
		{"{name: a, holds: always, check: {fact: letters, count: 1}}", ""},
		{"{name: a, holds: often, check: {fact: letters, count: 1}}", `"often"`},
		{"{name: a, check: {fact: leters, rows: []}}", `unknown fact "leters"`},
		{"{check: {fact: letters, rows: []}}", "name"},
		{`{name: "", check: {fact: letters, rows: []}}`, "an invariant needs a name"},
		{"{name: a}", "check"},
		{"{name: a, check: {fact: letters}}", "nothing is compared"},
		{"{name: a, check: {worker: w, ended: {exit: 0}}}", "knows no worker"},
		{"{name: a, check: {fact: letters, unchanged_since: x}}", "no earlier check"},
		{"{name: a, check: {fact: letters, rows: []}}, {name: a, check: {fact: letters, rows: []}}",
			"invariant a is defined twice"},
	} {
		recovers(t, "invariants: ["+each.invariants+"]", each.want)
	}
}

// recovers loads a system whose recover holds a key more. The error that is wanted is empty for
// none.
func recovers(t *testing.T, key, want string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), SystemFile)
	text := `system: s
databases: {main: {schema: schema.sql}}
channels: {sms: {kind: http, request: {method: POST, path: /send}}}
programs: {work: {command: [sh]}}
facts: {letters: {sql: select 1}}
recover: {run: [{program: work}], until: {fact: letters, rows: []}, ` + key + `}
`
	for name, content := range map[string]string{file: text,
		filepath.Join(filepath.Dir(file), "schema.sql"): "select 1"} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := LoadSystem(file)
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", key, err, want)
	}
}
