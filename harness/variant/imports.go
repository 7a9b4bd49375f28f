package variant

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// keepUnusedImports turns each import that an edit left without a use into a blank one. The
// compiler refuses an unused import; a blank one is compiled and initialised as before, and no line
// moves.
func keepUnusedImports(before, after []byte, name string) ([]byte, error) {
	usedBefore, _, _, err := packageUses(before, name)
	if err != nil {
		return nil, err
	}
	usedAfter, tree, positions, err := packageUses(after, name)
	if err != nil {
		return nil, err
	}
	type insertion struct{ at, until int }
	var blanks []insertion
	for _, spec := range tree.Imports {
		if !anyUsed(usedBefore, importNames(spec)) || anyUsed(usedAfter, importNames(spec)) {
			continue
		}
		path := positions.Position(spec.Path.Pos()).Offset
		blank := insertion{path, path}
		if spec.Name != nil {
			blank.at = positions.Position(spec.Name.Pos()).Offset
		}
		blanks = append(blanks, blank)
	}
	sort.Slice(blanks, func(i, j int) bool { return blanks[i].at > blanks[j].at })
	for _, blank := range blanks {
		after = splice(after, blank.at, blank.until, "_ ")
	}
	return after, nil
}

func splice(content []byte, start, end int, replacement string) []byte {
	changed := make([]byte, 0, len(content)+len(replacement))
	changed = append(changed, content[:start]...)
	changed = append(changed, replacement...)
	return append(changed, content[end:]...)
}

// packageUses lists the names in front of a dot that nothing in the file declares.
func packageUses(content []byte, name string) (
	used map[string]bool, tree *ast.File, positions *token.FileSet, err error,
) {
	positions = token.NewFileSet()
	tree, err = parser.ParseFile(positions, name, content, parser.ParseComments)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("parse: %w", err)
	}
	unresolved := map[*ast.Ident]bool{}
	for _, identifier := range tree.Unresolved {
		unresolved[identifier] = true
	}
	used = map[string]bool{}
	ast.Inspect(tree, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if identifier, ok := selector.X.(*ast.Ident); ok && unresolved[identifier] {
			used[identifier.Name] = true
		}
		return true
	})
	return used, tree, positions, nil
}

func anyUsed(used map[string]bool, names []string) bool {
	for _, name := range names {
		if used[name] {
			return true
		}
	}
	return false
}

// importNames are the names that an import is likely to have in the file: the one that it gives, or
// those that its path suggests (the package clause is not read).
func importNames(spec *ast.ImportSpec) []string {
	if spec.Name != nil {
		return []string{spec.Name.Name}
	}
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return nil
	}
	last := path.Base(imported)
	if majorVersion().MatchString(last) {
		last = path.Base(path.Dir(imported))
	}
	last = versionSuffix().ReplaceAllString(last, "")
	names := []string{last}
	for _, part := range strings.FieldsFunc(last, func(r rune) bool { return r == '-' || r == '.' }) {
		if part != last {
			names = append(names, part)
		}
	}
	return append(names, strings.NewReplacer("-", "", ".", "").Replace(last))
}

func majorVersion() *regexp.Regexp  { return regexp.MustCompile(`^v[0-9]+$`) }
func versionSuffix() *regexp.Regexp { return regexp.MustCompile(`\.v[0-9]+$`) }
