package variant

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// source is one file of a package, with its edits so far.
type source struct {
	path    string // absolute
	name    string // relative to the module's root, for messages
	content []byte
}

// region is the text of one declaration in a file, by byte offsets.
type region struct {
	file       *source
	start, end int
}

func (r region) text() string { return string(r.file.content[r.start:r.end]) }

// place names a byte offset of the file the way compilers do: file:line.
func (s *source) place(offset int) string {
	return fmt.Sprintf("%s:%d", s.name, s.line(offset))
}

func (s *source) line(offset int) int {
	return 1 + strings.Count(string(s.content[:offset]), "\n")
}

// lines is the source from the beginning of the line that holds start to the end of the line that
// holds end, without the common indent.
func (s *source) lines(start, end int) string {
	from := strings.LastIndexByte(string(s.content[:start]), '\n') + 1
	to := len(s.content)
	if after := strings.IndexByte(string(s.content[end:]), '\n'); after >= 0 {
		to = end + after
	}
	lines := strings.Split(string(s.content[from:to]), "\n")
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], "\t "))]
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, indent), " \t")
	}
	return strings.Join(lines, "\n")
}

// readPackage reads the files of a package that this machine's build would compile, tests left out.
// A file that is already in edited is taken from there.
func readPackage(root, folder string, edited map[string]*source) ([]*source, error) {
	if !filepath.IsLocal(folder) {
		return nil, fmt.Errorf("package %q is not a directory below the module's root", folder)
	}
	directory := filepath.Join(root, folder)
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("read package %s: %w", folder, err)
	}
	var files []*source
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		path := filepath.Join(directory, name)
		if already, ok := edited[path]; ok {
			files = append(files, already)
			continue
		}
		built, err := build.Default.MatchFile(directory, name)
		if err != nil {
			return nil, fmt.Errorf("read build constraints of %s: %w", path, err)
		}
		if !built {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read source: %w", err)
		}
		files = append(files, &source{
			path: path, name: filepath.ToSlash(filepath.Join(folder, name)), content: content,
		})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("package %s holds no Go files", folder)
	}
	return files, nil
}

// declarations finds every declaration called name in the files, and the names that there are.
func declarations(files []*source, name string) (found []region, names []string, err error) {
	wanted := plainName(name)
	for _, file := range files {
		positions := token.NewFileSet()
		tree, err := parser.ParseFile(positions, file.path, file.content, 0)
		if err != nil {
			return nil, nil, fmt.Errorf("parse %s: %w", file.name, err)
		}
		for _, declared := range declaredIn(tree) {
			names = append(names, declared.name)
			if plainName(declared.name) == wanted {
				found = append(found, region{
					file:  file,
					start: positions.Position(declared.node.Pos()).Offset,
					end:   positions.Position(declared.node.End()).Offset,
				})
			}
		}
	}
	sort.Strings(names)
	return found, names, nil
}

type declared struct {
	name string
	node ast.Node
}

func declaredIn(tree *ast.File) []declared {
	var all []declared
	for _, declaration := range tree.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			all = append(all, declared{functionName(declaration), declarationBody(declaration)})
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				all = append(all, declaredBySpec(spec)...)
			}
		}
	}
	return all
}

func declaredBySpec(spec ast.Spec) []declared {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		var all []declared
		for _, name := range spec.Names {
			all = append(all, declared{name.Name, span{spec.Pos(), spec.End()}})
		}
		return all
	case *ast.TypeSpec:
		return []declared{{spec.Name.Name, span{spec.Name.Pos(), spec.End()}}}
	}
	return nil
}

// span is a declaration without the remark above it.
type span struct{ from, to token.Pos }

func (s span) Pos() token.Pos { return s.from }
func (s span) End() token.Pos { return s.to }

func declarationBody(function *ast.FuncDecl) span {
	return span{function.Type.Pos(), function.End()}
}

// functionName is a function's name as Go writes it: finish, (*Store).finish, Store.finish.
func functionName(function *ast.FuncDecl) string {
	if function.Recv == nil || len(function.Recv.List) == 0 {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	star, pointer := receiver.(*ast.StarExpr)
	if pointer {
		receiver = star.X
	}
	switch generic := receiver.(type) {
	case *ast.IndexExpr:
		receiver = generic.X
	case *ast.IndexListExpr:
		receiver = generic.X
	}
	name := "?"
	if identifier, ok := receiver.(*ast.Ident); ok {
		name = identifier.Name
	}
	if pointer {
		return "(*" + name + ")." + function.Name.Name
	}
	return name + "." + function.Name.Name
}

// plainName makes (*Store).finish and Store.finish one: Go allows no type both.
func plainName(name string) string {
	return strings.NewReplacer("(", "", ")", "", "*", "", " ", "").Replace(name)
}
