// Package house holds the rules that all code of the project keeps, as tests: how long things may
// be, what is documented, who imports whom, what nobody calls. Each rule is itself shown to fail,
// on the small trees in testdata.
package house

import (
	"testing"
)

// rule is one thing that is enforced over all Go files.
type rule struct {
	name string
	find func([]source) []finding
}

// rules lists them all.
func rules(l limits) []rule {
	return []rule{
		{"sizes", perFile(l.sizes)},
		{"documentation", undocumented},
		{"imports", perFile(wrongImports)},
		{"waits", perFile(timedWaits)},
		{"init", perFile(initFunctions)},
	}
}

func TestRulesAreKept(t *testing.T) {
	sources := parseTree(t, moduleRoot(t))
	if len(sources) == 0 {
		t.Fatal("no Go file was found, so no rule was checked")
	}
	for _, r := range rules(houseLimits) {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range r.find(sources) {
				t.Error(f)
			}
		})
	}
}

func TestNoTraceOfOneMachine(t *testing.T) {
	root := moduleRoot(t)
	m := thisMachine(t, root)
	err := walk(root, func(name string, content []byte) error {
		for _, f := range m.traces(name, content) {
			t.Error(f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
