package variant_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lostreply/harness/variant"
)

// Whatever statement of the source a defect quotes, and however it lays it out, the edit finds it:
// once, or as often as it stands there.
func TestAnyStatementIsFoundInAnyLayout(t *testing.T) {
	root, err := filepath.Abs(module)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "delivery", "finish.go")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, path, content, 0)
	if err != nil {
		t.Fatal(err)
	}
	statements := quotable(tree)
	rapid.Check(t, func(t *rapid.T) {
		quoted := rapid.SampledFrom(statements).Draw(t, "statement")
		var text bytes.Buffer
		if err := format.Node(&text, positions, quoted.node); err != nil {
			t.Fatal(err)
		}
		old := scatter(t, text.String())
		edits := "edit: {package: delivery, function: " + quoted.function +
			", code: {old: " + strconv.Quote(old) + ", new: lostreply()}}"
		_, err := variant.Apply(root, decode(t, edits))
		var misfit *variant.EditError
		if errors.As(err, &misfit) && misfit.Matches < 1 {
			t.Fatalf("not found:\n%s\n%v", old, err)
		}
	})
}

type quoted struct {
	function string
	node     ast.Node
}

func quotable(tree *ast.File) []quoted {
	var all []quoted
	for _, declaration := range tree.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := function.Name.Name
		if function.Recv != nil {
			name = "Store." + name
		}
		ast.Inspect(function.Body, func(node ast.Node) bool {
			if statement, ok := node.(ast.Stmt); ok {
				all = append(all, quoted{name, statement})
			}
			return true
		})
	}
	return all
}

// scatter puts remarks, spaces and blank lines where Go allows them; not inside string literals.
func scatter(t *rapid.T, code string) string {
	lines := strings.Split(code, "\n")
	if strings.Contains(code, "`") {
		return code
	}
	for i, line := range lines {
		switch rapid.IntRange(0, 3).Draw(t, "layout") {
		case 0:
			lines[i] = line + " // a remark"
		case 1:
			lines[i] = "\t  " + line + "  "
		case 2:
			lines[i] = "\n\n" + line
		}
	}
	return strings.Join(lines, "\n")
}
