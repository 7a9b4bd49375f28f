package house

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each rule is shown to find what it is for in a tree that breaks it, and nothing in the honest
// files beside: what is listed here is all that it may find there.
func TestRulesFindWhatTheyAreFor(t *testing.T) {
	small := limits{function: 5, file: 20, testFile: 9, columns: 80}
	for _, c := range []struct {
		tree string
		find func([]source) []finding
		want string
	}{
		{"sizes", perFile(small.sizes), `
harness/long.go:8: function long has 6 lines, 5 are allowed: give a part of it a name of its own
harness/long.go:2: the file has 22 lines, 20 are allowed: split it by what it is about
harness/long.go:16: the line has 104 columns, 80 are allowed: break it
harness/long_test.go:5: function TestExpectedText has 6 lines, 5 are allowed: give a part of it a name of its own
harness/long_test.go:1: the file has 10 lines, 9 are allowed: split it by what it tests
harness/long_test.go:9: the line has 101 columns, 80 are allowed: break it
`},
		{"docs", undocumented, `
harness/silent/silent.go:3: Limit is exported and has no comment: say what it is, its units, its errors
harness/silent/silent.go:6: Thing is exported and has no comment: say what it is, its units, its errors
harness/silent/silent.go:11: Do is exported and has no comment: say what it is, its units, its errors
harness/silent/silent.go:14: Directive is exported and has no comment: say what it is, its units, its errors
harness/silent/silent.go:1: package silent has no comment: say what it is for, above ` +
			"`package`" + ` in one of its files
`},
		{"imports", perFile(wrongImports), `
cmd/lostreply/main.go:5: cmd/lostreply imports outbox: a system is a process behind its system.yaml; nothing else knows its code
dispatcher/dispatcher.go:4: dispatcher imports harness/clock: a system knows nothing of the harness or of other systems; only its tests may
dispatcher/dispatcher.go:5: dispatcher imports outbox: a system is a process behind its system.yaml; nothing else knows its code
dispatcher/dispatcher_test.go:5: dispatcher imports outbox: a system is a process behind its system.yaml; nothing else knows its code
harness/check/check.go:5: harness/check imports os: it works on data alone; read and write at the edge, in a layer above
harness/check/check.go:7: harness/check imports harness/event: both are in one layer; move what they share into a layer below
harness/check/check.go:8: harness/check imports harness/gate: imports go one way, and it is in a layer above (harness/gate, harness/clock, harness/result); take a narrow interface instead
harness/stage/stage.go:4: harness/stage imports dispatcher: a system is a process behind its system.yaml; nothing else knows its code
harness/stage/stage.go:7: harness/stage imports harness/nowhere: it is in no layer: add it to the layers in internal/house
harness/stage/stage.go:8: harness/stage imports harness/run: imports go one way, and it is in a layer above (harness/run); take a narrow interface instead
harness/stage/stage_test.go:3: harness/stage imports relay/cmd/relay: a system is a process behind its system.yaml; nothing else knows its code
harness/surprise/surprise.go:1: folder harness/surprise is in no layer: add it to the layers in internal/house
harness/wire/wire.go:4: harness/wire imports fakes: both are in one layer; move what they share into a layer below
harness/wire/wire.go:5: harness/wire imports harness/postgres/postgrestest: it is a helper of tests, and this is none
`},
		{"waits", perFile(timedWaits), `
fakes/dotted.go:3: package time is imported with a dot: waits could not be told from other calls
fakes/fakes.go:6: time.Sleep waits for time to pass: wait for an event or a condition, with clock.WithDeadline or clock.Until
fakes/fakes.go:7: time.After waits for time to pass: wait for an event or a condition, with clock.WithDeadline or clock.Until
fakes/renamed_test.go:5: time.Tick waits for time to pass: wait for an event or a condition, with clock.WithDeadline or clock.Until
`},
		{"init", perFile(initFunctions), `
harness/verb/verb.go:7: func init runs unasked: call it by name, or list what it registers where it is used
`},
	} {
		t.Run(c.tree, func(t *testing.T) {
			var got []string
			for _, f := range c.find(parseTree(t, filepath.Join("testdata", c.tree))) {
				got = append(got, f.String())
			}
			want := strings.Split(strings.TrimSpace(c.want), "\n")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

// The names that are looked for are put together here, so that this file holds none of them.
func TestTracesOfOneMachineAreFound(t *testing.T) {
	m := machine{
		folders: []string{"/builds/one/checkout", "/src"},
		hosts:   []string{"packages.example.org:8080"},
	}
	for _, c := range []struct{ name, line, want string }{
		{"the checkout", "cd /builds/one/checkout && ./run.sh", "/builds/one/checkout"},
		{"a home", "path=" + "/home" + "/alice/go", "/home" + "/alice/"},
		{"a Mac's home", `"` + "/Users" + `/alice/go"`, "/Users" + "/alice/"},
		{"the home of the administrator", "see `" + "/root" + "/go`", "/root" + "/"},
		{"a registry", "GOPROXY=https://packages.example.org:8080/go", "packages.example.org:8080"},
		{"a short folder is a word", "https://example.org/src/file", ""},
		{"part of an address", "https://example.org" + "/home" + "/alice/", ""},
		{"a path of every machine", "/usr/lib/postgresql/16/bin", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := m.trace(c.line); got != c.want {
				t.Errorf("in %q: found %q, want %q", c.line, got, c.want)
			}
			want := 1
			if c.want == "" {
				want = 0
			}
			text := []byte("first\n" + c.line + "\n")
			found := m.traces("README.md", text)
			if len(found) != want || want == 1 && found[0].line != 2 {
				t.Errorf("findings: %v, want %d in line 2", found, want)
			}
			if found := m.traces("program", append(text, 0)); len(found) > 0 {
				t.Errorf("a binary file was read as text: %v", found)
			}
		})
	}
}
