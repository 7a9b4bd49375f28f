package house

import (
	"go/ast"
	"slices"
)

// undocumented finds exported names without a comment, and packages without one.
func undocumented(sources []source) []finding {
	var findings []finding
	first := map[string]source{}
	described := map[string]bool{}
	var folders []string
	for _, s := range sources {
		if s.isTest {
			continue
		}
		if _, seen := first[s.folder]; !seen {
			first[s.folder] = s
			folders = append(folders, s.folder)
		}
		if hasText(s.syntax.Doc) {
			described[s.folder] = true
		}
		findings = append(findings, undocumentedNames(s)...)
	}
	slices.Sort(folders)
	for _, folder := range folders {
		if !described[folder] {
			s := first[folder]
			findings = append(findings, s.finding(s.syntax.Package,
				"package %s has no comment: say what it is for, above `package` in one of its files",
				s.syntax.Name.Name))
		}
	}
	return findings
}

func undocumentedNames(s source) []finding {
	var findings []finding
	missing := func(name *ast.Ident) {
		if name.IsExported() {
			findings = append(findings, s.finding(name.Pos(),
				"%s is exported and has no comment: say what it is, its units, its errors", name.Name))
		}
	}
	for _, declaration := range s.syntax.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if !hasText(d.Doc) && isReachable(d) {
				missing(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				for _, name := range undocumentedInSpec(d, spec) {
					missing(name)
				}
			}
		}
	}
	return findings
}

// undocumentedInSpec are the names of a declaration without a comment. A comment on a group serves
// its constants and variables; types each have their own.
func undocumentedInSpec(group *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	switch v := spec.(type) {
	case *ast.TypeSpec:
		alone := len(group.Specs) == 1 && hasText(group.Doc)
		if !hasText(v.Doc) && !hasText(v.Comment) && !alone {
			return []*ast.Ident{v.Name}
		}
	case *ast.ValueSpec:
		if !hasText(v.Doc) && !hasText(v.Comment) && !hasText(group.Doc) {
			return v.Names
		}
	}
	return nil
}

// isReachable tells whether a function is no method, or one of an exported type.
func isReachable(function *ast.FuncDecl) bool {
	if function.Recv == nil {
		return true
	}
	receiver := function.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return r.IsExported()
		default:
			return false
		}
	}
}

// hasText tells whether a comment says something; a directive alone does not.
func hasText(comment *ast.CommentGroup) bool { return comment != nil && comment.Text() != "" }
