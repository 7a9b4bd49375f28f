package explore

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"lostreply/harness/scenario"
)

// invariant is what must hold after every schedule: safety, if it must hold as soon as the workers
// have ended; liveness, if once recovery is done.
type invariant struct {
	name   string
	always bool
	check  *yaml.Node // the step
}

// invariantsOf are those of a system, whose nodes are given: nil for none.
func invariantsOf(system *scenario.System, nodes *yaml.Node) []invariant {
	var all []invariant
	for i, each := range system.Recover.Invariants {
		all = append(all, invariant{
			name: each.Name.Value, always: each.Always(),
			check: titled(each.Name.Value, valueOf(nodes.Content[i], "check")),
		})
	}
	return all
}

// titled is a check of what a mapping compares, under a name.
func titled(name string, comparison *yaml.Node) *yaml.Node {
	fields := []pair{{"title", text(name)}}
	for i := 0; i+1 < len(comparison.Content); i += 2 {
		fields = append(fields, pair{comparison.Content[i].Value, comparison.Content[i+1]})
	}
	return step("check", fields...)
}

// safety checks what must hold before any recovery, too.
func (c *composer) safety() {
	for _, each := range c.workload.recovery.invariants {
		if each.always && !c.script.broken(each.name) {
			c.keep(each.check)
		}
	}
}

// invariant tells whether a check is that of an invariant.
func (w *workload) invariant(check string) bool {
	return slices.ContainsFunc(w.recovery.invariants, func(i invariant) bool {
		return isOf(check, i.name)
	})
}

// broken tells whether a check is that of an invariant that does not hold without any fault: after
// one it shows nothing.
func (s script) broken(check string) bool {
	return slices.ContainsFunc(s.damage.Witnesses, func(each witness) bool {
		return isOf(each.Check, check)
	})
}

// expected are the checks of what is left; nil where the run gets nowhere.
func (c *composer) expected() *yaml.Node {
	if c.stuck {
		return nil
	}
	checks := list()
	for _, each := range c.script.checks {
		if title := valueOf(each.Content[1], "title"); title == nil || !c.script.broken(title.Value) {
			checks.Content = append(checks.Content, each)
		}
	}
	return checks
}

// liveness tells whether a check that does not hold says that something did not come, rather than
// that something is wrong.
func (w *workload) liveness(check string) bool {
	return isOf(check, restTitle) ||
		slices.ContainsFunc(w.recovery.invariants, func(i invariant) bool {
			return !i.always && isOf(check, i.name)
		})
}

// isOf tells whether a check is called so; of one that compares columns, each line adds its own.
func isOf(check, title string) bool {
	return check == title || strings.HasPrefix(check, title+" ")
}

// always are the checks of what is left after every schedule: rest, and the invariants.
func (w *workload) always() []*yaml.Node {
	checks := []*yaml.Node{w.restCheck()}
	for _, each := range w.recovery.invariants {
		checks = append(checks, each.check)
	}
	return checks
}
