package house

import (
	"go/ast"
	"slices"
)

// waits are the functions of package time by which code waits for time to pass. Waiting is for an
// event, with a deadline that only bounds failure.
var waits = []string{"Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// timedWaits finds waits for time outside the one package that may. A system's own polling is its
// own affair.
func timedWaits(s source) []finding {
	if s.isIn("harness/clock") || isSystem(s.folder) {
		return nil
	}
	var findings []finding
	local := ""
	for _, spec := range s.syntax.Imports {
		if importPath(spec) != "time" {
			continue
		}
		local = "time"
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == "." {
			findings = append(findings, s.finding(spec.Pos(),
				"package time is imported with a dot: waits could not be told from other calls"))
		}
	}
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		selector, isSelector := node.(*ast.SelectorExpr)
		if !isSelector {
			return true
		}
		name, isName := selector.X.(*ast.Ident)
		if isName && name.Name == local && slices.Contains(waits, selector.Sel.Name) {
			findings = append(findings, s.finding(selector.Pos(), "time.%s waits for time to pass: "+
				"wait for an event or a condition, with clock.WithDeadline or clock.Until",
				selector.Sel.Name))
		}
		return true
	})
	return findings
}

// initFunctions finds functions that run because a package was imported. Explicit, sorted lists
// wire things together.
func initFunctions(s source) []finding {
	var findings []finding
	for _, declaration := range s.syntax.Decls {
		function, isFunction := declaration.(*ast.FuncDecl)
		if isFunction && function.Recv == nil && function.Name.Name == "init" {
			findings = append(findings, s.finding(function.Pos(),
				"func init runs unasked: call it by name, or list what it registers where it is used"))
		}
	}
	return findings
}
